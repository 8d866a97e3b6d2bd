/**
 * `npm run diagnose -- FOLDER...`: the hints that the page would have shown over the runs in these folders, each with
 * the steps that show it. Reads the records alone.
 */
import { Command } from 'commander';
import { CommandError, fail } from '../../src/cli/command-error.ts';
import type { StepRecord } from '../../src/session/protocol.ts';
import { listRuns } from '../../src/session/stored-run.ts';
import { FolderStore } from '../../src/store/folder.ts';
import { RunStore } from '../../src/store/run-store.ts';
import { hintsByStep } from './hints.ts';

const program = new Command('diagnose')
  .description('Prints the hints that the page would have shown over the runs of some folders, with their steps.')
  .argument('<folders...>', 'folders of runs, as `npm run train` and `npm run sweep` write them')
  .option('--json', 'as JSON, one line a run');

async function main(): Promise<void> {
  program.parse();
  const { json } = program.opts<{ json?: true }>();
  for (const folder of program.args) {
    const store = new RunStore(new FolderStore(folder));
    const runs = await listRuns(store);
    if (!runs.length) throw new CommandError(`${folder} has no run.`);
    for (const { id, experiment } of runs) {
      const records = await store.records<StepRecord>(id);
      const shown = hintsByStep(records, experiment.sampling.maskActions);
      const { name, seed } = experiment;
      const trained = records.filter(({ step }) => step > 0).length;
      if (json) {
        console.log(JSON.stringify({ folder, run: id, name, seed, steps: trained, hints: shown }));
        continue;
      }
      console.log(`${name}, seed ${seed}, ${trained} steps (${folder})`);
      if (!shown.length) console.log('  no hint at any step');
      for (const { title, level, steps, sentence } of shown)
        console.log(
          `  ${level}: ${title}, at ${steps.length} steps from ${steps[0]} to ${steps.at(-1)}. First: ${sentence}`,
        );
    }
  }
}

main().then(() => process.exit(0), fail);
