/** The goal of a task, read from its first observation. */

/** Beginnings of a goal, most specific first. */
const beginnings: readonly RegExp[] = [
  /(?:^|\n)[ \t]*(?:your )?(?:goal|task|question|objective|intent|instruction)(?: is)?[ \t]*:[ \t]*(\S[^\n]*)/i,
  /(?:^|\n)[ \t]*(?:your )?(?:goal|task|objective)(?: is)? to:?[ \t]+(\S[^\n]*)/i,
];

/** First line of a text that has more than white space. */
const firstLine = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trim())
    .find((line) => line !== '') ?? '';

/**
 * The goal that a first observation states, in one line without a full stop at its end. A text that names no goal gives
 * its first line.
 */
export function goalIn(observation: string): string {
  for (const pattern of beginnings) {
    const found = pattern.exec(observation)?.[1];
    if (found) return found.trim().replace(/[.。]$/, '');
  }
  return firstLine(observation);
}
