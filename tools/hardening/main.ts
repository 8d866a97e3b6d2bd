/**
 * `npm run harden [-- NAME...] [--times N] [--write]`: throws faults at stored runs and trainings, counts what was lost
 * or wrongly accepted, and with --write puts the counts into docs/hardening.md. Exits with 1 if there is any.
 */
import { readFileSync } from 'node:fs';
import { Argument, Command } from 'commander';
import { fail } from '../../src/cli/command-error.ts';
import { wholeFrom } from '../../src/cli/number-argument.ts';
import { writeWhole } from '../../src/cli/whole-files.ts';
import type { Outcome } from './outcome.ts';
import { flippedBits, fullDisks } from './stored-run.ts';
import { stopped } from './training.ts';

const page = 'docs/hardening.md';

const faults: { readonly [name: string]: { times: number; run(times: number): Promise<Outcome> } } = {
  disk: { times: 60, run: fullDisks },
  flips: { times: 500, run: flippedBits },
  kills: { times: 5, run: (times) => stopped(times, 'SIGKILL') },
  pauses: { times: 5, run: (times) => stopped(times, 'SIGINT') },
};

const row = (name: string, times: number, { what, tried, lost, accepted }: Outcome) =>
  `| ${what} | ${tried} | ${lost} | ${accepted} | \`npm run harden -- ${name} --times ${times}\` |`;

/** Replaces the row of a command in the page's table, or adds it at its end. */
function withRow(text: string, name: string, line: string): string {
  const lines = text.split('\n');
  const at = lines.findIndex((each) => each.includes(`npm run harden -- ${name} `));
  if (at >= 0) lines[at] = line;
  else lines.splice(lines.findLastIndex((each) => each.startsWith('|')) + 1, 0, line);
  return lines.join('\n');
}

const program = new Command('harden')
  .description('Throws faults at stored runs and trainings, and counts what is lost or wrongly taken.')
  .addArgument(new Argument('[names...]', 'kinds of faults').choices(Object.keys(faults)))
  .option('--times <n>', 'number of faults of each kind (default: a minute of them)', wholeFrom(1))
  .option('--write', `write the counts into ${page}`, false);

async function main(): Promise<number> {
  program.parse();
  const { times, write } = program.opts<{ times?: number; write: boolean }>();
  let bad = 0;
  for (const name of program.args.length ? program.args : Object.keys(faults)) {
    const count = times ?? faults[name].times;
    const outcome = await faults[name].run(count);
    const line = row(name, count, outcome);
    console.log(line);
    if (write) writeWhole(page, withRow(readFileSync(page, 'utf8'), name, line));
    bad += outcome.lost + outcome.accepted;
  }
  return bad ? 1 : 0;
}

main().then((code) => process.exit(code), fail);
