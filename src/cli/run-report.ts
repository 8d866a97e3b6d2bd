/**
 * `npm run report -- RUN.tabgym --out FILE.html`: writes a run as one HTML page that opens anywhere, with settings,
 * curves, evaluations, episodes and numbers. The page's Share writes the same.
 */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { Command } from 'commander';
import { readRun, writeReport } from '../library/files.ts';
import { fail } from './command-error.ts';
import { writeWhole } from './whole-files.ts';

async function main(): Promise<void> {
  const program = new Command('report')
    .argument('<run>', 'a run, exported as .tabgym')
    .requiredOption('--out <file>', 'the HTML file to write')
    .parse();
  const [run] = program.args;
  const { out } = program.opts<{ out: string }>();
  writeWhole(out, await writeReport(readRun(readFileSync(run), basename(run))));
  console.log(`Wrote ${out}`);
}

main().catch(fail);
