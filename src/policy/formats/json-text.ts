/** JSON texts of a model's folder, which may come from anybody. */

/** Levels of objects and lists. Deeper ones exhaust the stack wherever they are written again. */
const mostLevels = 100;

/** True if a JSON value has at most so many levels. Walks level by level, without recursion. */
function isShallow(value: unknown): boolean {
  let level = [value];
  for (let k = 0; level.length; k++) {
    if (k > mostLevels) return false;
    level = level.flatMap((each) => (each !== null && typeof each === 'object' ? Object.values(each) : []));
  }
  return true;
}

/** True for the beginning of a git-lfs pointer, which a clone without git-lfs has in place of a large file. */
export const isLfsPointer = (text: string): boolean => text.startsWith('version ');
export const lfsPointer =
  'is a git-lfs pointer, not the file itself: run git lfs pull in its folder, or download the file';

/** The value of a JSON text. Throws what `refuse` makes of the problem. */
export function parsedJson(text: string, refuse: (problem: string) => Error): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (isLfsPointer(text)) throw refuse(lfsPointer);
    throw refuse(`is not JSON: ${(error as Error).message}`);
  }
  if (isShallow(value)) return value;
  throw refuse(`has more than ${mostLevels} levels of objects and lists`);
}

const longestShown = 200;

/** A text of a file in a message, cut. */
export const cut = (text: string): string => (text.length > longestShown ? `${text.slice(0, longestShown)}...` : text);
