/**
 * Bounds on what one rendering of a template may do. A template comes with a model, so from anybody: without bounds, two
 * nested loops take for ever and a few doublings fill the memory. The count is of steps, not of time, so that a template
 * is refused or accepted alike on every machine.
 */

/** A template refused its input, an operation that Python would refuse, or too much work. */
class JinjaError extends Error {
  override name = 'JinjaError';
}

export function fail(message: string): never {
  throw new JinjaError(message);
}

/** Steps of one rendering. Published templates take some hundred for each message. */
const mostSteps = 2_000_000;
/** UTF-16 units of the longest text that a template may make. */
const longestText = 4_000_000;
/** Macros that may call each other, and values inside of each other that may be printed. */
const deepest = 200;
/** Text that is copied, that a method reads, and that is divided into characters, in units for one step. */
const [copiedByStep, readByStep, dividedByStep] = [64, 16, 2];

// A rendering is synchronous, so there is one at a time in a thread.
let stepsLeft = mostSteps;
let depth = 0;

/** Begins the count of a rendering. */
export function beginWork(): void {
  stepsLeft = mostSteps;
  depth = 0;
}

/** Counts steps. Fails if the rendering has taken too many. */
export function work(steps = 1): void {
  stepsLeft -= steps;
  // Also for NaN.
  if (!(stepsLeft >= 0)) fail(`it takes more than ${mostSteps} steps, the bound of one rendering`);
}

/** Counts a text that is read or copied. */
export const copied = (text: string): void => work(text.length / copiedByStep);

/** Counts a text that a method reads. */
export const wasRead = (text: string): void => work(text.length / readByStep);

/** Counts a text that is divided into characters. */
export const divided = (text: string): void => work(text.length / dividedByStep);

/** Checks the length of a text that is to be made. */
export function makeText(length: number): void {
  if (!(length <= longestText)) fail(`it makes a text of more than ${longestText} characters`);
  work(length / copiedByStep);
}

/** A text that was made of texts within the bound. */
export function madeText(text: string): string {
  makeText(text.length);
  return text;
}

/** Does something one level deeper. */
export function deeper<T>(inner: () => T): T {
  if (++depth > deepest) fail(`its values or macros nest deeper than ${deepest} levels`);
  const result = inner();
  depth--;
  return result;
}
