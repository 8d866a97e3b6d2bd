/** Result of one kind of fault, and its row in the page of all counts. */
import { readFileSync } from 'node:fs';
import { writeWhole } from '../../src/cli/whole-files.ts';

export interface Outcome {
  what: string;
  tried: number;
  /** Runs that lost anything, or ended with other numbers. */
  lost: number;
  /** Damaged or hostile inputs that were accepted as undamaged. */
  accepted: number;
}

export const countsPage = 'docs/hardening.md';

/** Row of the table; `command` repeats the count. */
export const rowOf = ({ what, tried, lost, accepted }: Outcome, command: string) =>
  `| ${what} | ${tried} | ${lost} | ${accepted} | \`${command}\` |`;

/** Text of the page with the row of a command replaced, or added at the end of the table. `command`: its beginning. */
function withRow(text: string, command: string, line: string): string {
  const lines = text.split('\n');
  const isTable = (each: string) => each.startsWith('|');
  const begin = lines.findIndex((each) => each.startsWith('| attack or fault |'));
  const length = lines.slice(begin).findIndex((each) => !isTable(each));
  const at = lines.findIndex((each, k) => k > begin && k < begin + length && each.includes(`\`${command} `));
  if (at >= 0) lines[at] = line;
  else lines.splice(begin + length, 0, line);
  return lines.join('\n');
}

export const writeRow = (command: string, line: string) =>
  writeWhole(countsPage, withRow(readFileSync(countsPage, 'utf8'), command, line));
