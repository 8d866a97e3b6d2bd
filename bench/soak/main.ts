/**
 * `npm run soak [-- --minutes 60] [--clients 200] [--seed 1] [--out FILE] [--write]`: trains three worlds, serves 200
 * clients and drives the page, all at once, with faults at random instants. Writes a report; with --write also a row of
 * docs/hardening.md. Exits with 1 if anything is lost or accepted, or if memory grows.
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
import { drivenPage } from './page.ts';
import type { Part } from './part.ts';
import { served } from './served.ts';
import { trainings } from './trainings.ts';

const program = new Command('soak')
  .description('Trains three worlds, serves clients and drives the page at once, with faults at random instants.')
  .option('--minutes <n>', 'duration in minutes', wholeFrom(1), 60)
  .option('--clients <n>', 'number of clients of the server', wholeFrom(1), 200)
  .option('--seed <n>', 'seed of the faults', wholeFrom(0), 1)
  .option('--out <file>', 'file of the report', 'build/soak/report.md')
  .option('--write', 'write the counts into docs/hardening.md', false);

interface Options {
  minutes: number;
  clients: number;
  seed: number;
  out: string;
  write: boolean;
}

/** A part that fails as a whole has lost everything. */
const orLost = (part: Promise<Part>): Promise<Part> =>
  part.catch((error: Error) => ({ lines: [], faults: 0, lost: [`${error.stack}`], accepted: [], memory: [] }));

function report(parts: readonly Part[], { minutes, seed }: Options, began: Date, load: string): string {
  const list = (of: (part: Part) => readonly string[]) => {
    const lines = parts.flatMap(of).map((line) => `- ${line.replaceAll('\n', ' ')}`);
    return lines.length ? lines.join('\n') : 'Nothing.';
  };
  const memory = parts.flatMap((part) =>
    part.memory.map(
      ({ what, samples, thirds, isFlat }) =>
        `| ${what} | ${samples} | ${thirds.map((mb) => mb.toFixed(0)).join(' | ')} | ${isFlat ? 'yes' : 'no'} |`,
    ),
  );
  return `# Soak of ${minutes} minutes

Began ${began.toISOString()}, seed ${seed}; load of the machine at the beginning and at the end: ${load}.

## What ran

${list(({ lines }) => lines)}

## Lost

${list(({ lost }) => lost)}

## Let in

${list(({ accepted }) => accepted)}

## Memory

Medians of anonymous resident memory. Flat: the last third has at most ${mostGrowth} times the second.

| process | samples | first third, MB | second third, MB | last third, MB | flat |
|---|---|---|---|---|---|
${memory.join('\n')}
`;
}

async function main(): Promise<number> {
  program.parse();
  const options = program.opts<Options>();
  const { minutes, clients, seed, out, write } = options;
  requireBrowser();
  const began = new Date();
  const folder = mkdtempSync(join(tmpdir(), 'tabgym-soak-'));
  const load = () => loadavg()[0].toFixed(1);
  const before = load();
  const until = Date.now() + minutes * 60_000;
  const parts = await Promise.all(
    [...trainings(folder, until, seed), served(clients, until, seed + 3), drivenPage(until, seed + 4)].map(orLost),
  );
  rmSync(folder, { recursive: true, force: true });
  const text = report(parts, options, began, `${before}, ${load()}`);
  mkdirSync(dirname(out), { recursive: true });
  writeWhole(out, text);
  console.log(text);
  const sum = (of: (part: Part) => number) => parts.reduce((total, part) => total + of(part), 0);
  const grown = parts.flatMap((part) => part.memory.filter(({ isFlat }) => !isFlat));
  const [lost, accepted] = [sum((part) => part.lost.length), sum((part) => part.accepted.length)];
  const what = `fault at a random instant of ${minutes} minutes in which three worlds trained, ${clients} clients played and the page trained; memory ${grown.length ? 'grew' : 'flat'}`;
  const outcome = { what, tried: sum((part) => part.faults), lost, accepted };
  if (write) writeRow('npm run soak', rowOf(outcome, `npm run soak -- --minutes ${minutes}`));
  return lost + accepted + grown.length ? 1 : 0;
}

main().then((code) => process.exit(code), fail);
