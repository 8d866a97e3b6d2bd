/**
 * `npm run deeds -- AGENT EXPERIMENT --out FILE [--episodes 800]`: a shipped agent plays an experiment's training tasks
 * at its temperature, without learning. Its episodes become a file of trajectories, from which SFT learns.
 */
import { Command } from 'commander';
import { fail } from '../../src/cli/command-error.ts';
import { readDocument } from '../../src/cli/training-run.ts';
import { writeWhole } from '../../src/cli/whole-files.ts';
import { readRun, writeTrajectories } from '../../src/library/files.ts';
import { openTrainer } from '../../src/library/index.ts';
import { shippedAgent } from '../../src/library/node/shipped-agents.ts';

/** Episodes of a step: groups of two, the fewest that an algorithm compares. */
const groups = 25;

async function main(): Promise<void> {
  const program = new Command('deeds')
    .argument('<agent>', 'name of a shipped agent')
    .argument('<experiment>', 'experiment whose tasks it plays')
    .requiredOption('--out <file>', 'file of trajectories')
    .option('--episodes <n>', 'number of episodes', Number, 800)
    .parse();
  const [agent, file] = program.args;
  const { out, episodes } = program.opts<{ out: string; episodes: number }>();
  const bytes = await shippedAgent(agent);
  if (!bytes) throw new Error(`There is no shipped agent ${agent}.`);
  const { seed, worlds, horizon, sampling, optimizer, evaluation } = readDocument(file);
  const trainer = await openTrainer({ device: 'wasm', threads: 1 });
  try {
    const own = await trainer.importRun(new Uint8Array(bytes), agent);
    const steps = own.step + Math.ceil(episodes / (2 * groups));
    const still = { ...optimizer, learningRate: 0 };
    const play = { seed, worlds, horizon, sampling, evaluation, steps, optimizer: still, stages: undefined };
    const run = await own.fork(own.step, { ...play, algorithm: { name: 'grpo', groups, groupSize: 2 } });
    await run.train();
    const played = readRun(new Uint8Array(await run.export()));
    const deeds = played.trajectorySteps.filter((step) => step > own.step).flatMap((step) => played.trajectories(step));
    writeWhole(out, writeTrajectories(deeds, 'tabgym-trajectory-1'));
    const solved = deeds.filter(({ success }) => success).length;
    const last = (await run.records()).at(-1)?.evaluation?.test.policy;
    console.log(`${deeds.length} episodes, ${solved} solved; held-out success ${last?.rate.toFixed(3) ?? '-'}`);
  } finally {
    await trainer.close();
  }
}

main().catch(fail);
