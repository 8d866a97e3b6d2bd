/**
 * Completion of typed actions: ranks the actions that match a text and finds their common beginning. Pure string
 * functions.
 */

const comparable = (text: string) => text.trim().toLowerCase().replace(/\s+/g, ' ');

/**
 * Actions that match the typed text, best first: actions that begin with it, then actions in which each typed word is
 * the beginning of a word, then actions that contain every typed word anywhere. Returns all actions in their order if
 * nothing is typed.
 */
export function fittingActions(actions: readonly string[], typed: string): string[] {
  const wanted = comparable(typed);
  if (!wanted) return [...actions];
  const words = wanted.split(' ');
  const classes: string[][] = [[], [], []];
  for (const action of actions) {
    const text = action.toLowerCase();
    if (text.startsWith(wanted)) classes[0].push(action);
    else if (words.every((word) => text.startsWith(word) || text.includes(` ${word}`))) classes[1].push(action);
    else if (words.every((word) => text.includes(word))) classes[2].push(action);
  }
  return classes.flat();
}

/**
 * Longest common beginning of all actions that begin with the typed text; the Tab key fills it in. Returns the typed
 * text if no action begins with it.
 */
export function commonStem(actions: readonly string[], typed: string): string {
  const wanted = typed.trimStart().toLowerCase();
  const fitting = wanted ? actions.filter((each) => each.toLowerCase().startsWith(wanted)) : [];
  if (!fitting.length) return typed;
  return fitting.reduce((stem, each) => {
    let length = 0;
    while (length < stem.length && stem[length] === each[length]) length++;
    return stem.slice(0, length);
  });
}

/**
 * Numbered choices of a question in the observation ("0:\topen door between ..."), in its order. Returns null if the
 * observation contains no such question.
 */
export function choicesOf(observation: string, actions: readonly string[] | null): string[] | null {
  if (!actions?.length || !actions.every((each) => /^\d+$/.test(each))) return null;
  const lines = [...observation.matchAll(/^(\d+):\t(.*)$/gm)];
  return lines.length === actions.length ? lines.map(([, number, text]) => `${number}: ${text}`) : null;
}
