/**
 * `npm run soak [-- --minutes 60] [--clients 200] [--seed 1] [--leak N] [--out FILE] [--write]`: trains three worlds,
 * serves 200 clients and drives two pages, all at once, with faults at random instants. Writes a report; with --write
 * also a row of docs/hardening.md. Exits with 1 if anything is lost or accepted, or if memory grows, and with 2 if the
 * time was too short to tell whether it grows. `--leak`: runs only one page, with a planted leak that must be found;
 * `--leak 0` the same page without one.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Command } from 'commander';
import { requireBrowser } from '../../scripts/machine.mjs';
import { fail } from '../../src/cli/command-error.ts';
import { wholeFrom } from '../../src/cli/number-argument.ts';
import { writeWhole } from '../../src/cli/whole-files.ts';
import { rowOf, writeRow } from '../../tools/hardening/outcome.ts';
import { mostGrowth } from '../../tools/memory.ts';
import { trendTable, worstOf } from '../../tools/memory-trend.ts';
import { drivenPages, endlessPage, singlePage } from './page.ts';
import type { Part } from './part.ts';
import { served } from './served.ts';
import { trainings } from './trainings.ts';

const program = new Command('soak')
  .description('Trains three worlds, serves clients and drives the page at once, with faults at random instants.')
  .option('--minutes <n>', 'duration in minutes', wholeFrom(1), 60)
  .option('--clients <n>', 'number of clients of the server', wholeFrom(1), 200)
  .option('--seed <n>', 'seed of the faults', wholeFrom(0), 1)
  .option('--leak <n>', 'run only one page, which retains so many megabytes a minute', wholeFrom(0))
  .option('--out <file>', 'file of the report', 'build/soak/report.md')
  .option('--write', 'write the counts into docs/hardening.md', false);

interface Options {
  minutes: number;
  clients: number;
  seed: number;
  leak?: number;
  out: string;
  write: boolean;
}

/** Exit code of a soak in which only the verdict on memory is missing. */
const tooShort = 2;
const memoryWords = { flat: 'flat', grown: 'grew', unclear: 'not certain' } as const;

/** A part that fails as a whole has lost everything. */
const orLost = (part: Promise<Part>): Promise<Part> =>
  part.catch((error: Error) => ({ lines: [], faults: 0, lost: [`${error.stack}`], accepted: [], memory: [] }));

function report(parts: readonly Part[], { minutes, seed }: Options, began: Date, load: string): string {
  const list = (of: (part: Part) => readonly string[]) => {
    const lines = parts.flatMap(of).map((line) => `- ${line.replaceAll('\n', ' ')}`);
    return lines.length ? lines.join('\n') : 'Nothing.';
  };
  const memory = trendTable(parts.flatMap((part) => part.memory));
  const compared = parts.flatMap((part) => part.compared ?? []);
  return `# Soak of ${minutes} minutes

Began ${began.toISOString()}, seed ${seed}; load of the machine at the beginning and at the end: ${load}.

## What ran

${list(({ lines }) => lines)}

## Lost

${list(({ lost }) => lost)}

## Let in

${list(({ accepted }) => accepted)}

## Memory

Each sample after a forced garbage collection. Of trainings and the server: anonymous resident memory; of pages: objects
and buffers in the heaps of the page and its workers. Growth: over a third of the time, from the first third's end on
(Theil-Sen slope over blocks of samples, with its 95% interval by resampling the blocks), as a share of the process's
memory. Flat: at most ${(100 * (mostGrowth - 1)).toFixed(0)}%, with the whole interval.

${memory}
${compared.length ? `\nFor comparison, the processes of the pages, without a bearing on the result:\n\n${trendTable(compared)}\n` : ''}`;
}

async function main(): Promise<number> {
  program.parse();
  const options = program.opts<Options>();
  const { minutes, clients, seed, leak, out, write } = options;
  requireBrowser();
  const began = new Date();
  const folder = mkdtempSync(join(tmpdir(), 'tabgym-soak-'));
  const load = () => loadavg()[0].toFixed(1);
  const before = load();
  // The build of the page is not part of the time.
  const page = await endlessPage();
  const until = Date.now() + minutes * 60_000;
  const isWhole = leak === undefined;
  const started = !isWhole
    ? [singlePage(page.url, until, leak)]
    : [...trainings(folder, until, seed), served(clients, until, seed + 3), drivenPages(page.url, until, seed + 4)];
  const parts = await Promise.all(started.map(orLost));
  await page.close();
  rmSync(folder, { recursive: true, force: true });
  const text = report(parts, options, began, `${before}, ${load()}`);
  mkdirSync(dirname(out), { recursive: true });
  writeWhole(out, text);
  console.log(text);
  const sum = (of: (part: Part) => number) => parts.reduce((total, part) => total + of(part), 0);
  const memory = worstOf(parts.flatMap((part) => part.memory));
  const [lost, accepted] = [sum((part) => part.lost.length), sum((part) => part.accepted.length)];
  const what = `fault at a random instant of ${minutes} minutes in which three worlds trained, ${clients} clients played and two pages trained; memory ${memoryWords[memory]}`;
  const outcome = { what, tried: sum((part) => part.faults), lost, accepted };
  if (write && isWhole) writeRow('npm run soak', rowOf(outcome, `npm run soak -- --minutes ${minutes}`));
  if (lost + accepted || memory === 'grown') return 1;
  return memory === 'unclear' ? tooShort : 0;
}

main().then((code) => process.exit(code), fail);
