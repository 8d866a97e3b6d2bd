/**
 * `npm run test:interop-tools -- [FAMILY ...] [--episodes N] [--seed N]`: plays episodes of the worlds of tools under
 * `upstream` here and in AgentGym's own environments (agentenv-tool at 3ef9235), with the same actions, and compares
 * every text, reward and end. The original's network clients are answered from the same data (`services.ts`). Half of
 * the actions are the oracle's, the others random, damaged, or any text. TABGYM_AGENTGYM names a checkout, TABGYM_PYTHON
 * a Python; no package is needed. Exits with 1 after a difference.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { root } from '../../../scripts/machine.mjs';
import { wholeFrom } from '../../../src/cli/number-argument.ts';
import { type Feedback, validActionsAfter, type World } from '../../../src/envs/env.ts';
import { Random } from '../../../src/envs/random.ts';
import { openWorld } from '../../../src/worlds/registry.ts';
import type { ToolFamily } from '../../../src/worlds/tools/family.ts';
import { family as films } from '../../../src/worlds/tools/films/family.ts';
import { family as papers } from '../../../src/worlds/tools/papers/family.ts';
import { family as table } from '../../../src/worlds/tools/table/family.ts';
import { family as todo } from '../../../src/worlds/tools/todo/family.ts';
import { family as weather } from '../../../src/worlds/tools/weather/family.ts';
import { type ListedTool, toolAction } from '../../fuzz/play-tools.ts';
import { command, Skipped } from '../environment.mjs';
import { instanceOf, judgedOf } from './judged.ts';
import { serviceOf } from './services.ts';
import { type Judged, Upstream } from './upstream.ts';

const commit = '3ef9235';
/** Families with AgentGym's names of them. */
const families: { readonly [name: string]: readonly [theirs: string, family: ToolFamily] } = {
  todo: ['todo', todo],
  weather: ['weather', weather],
  films: ['movie', films],
  papers: ['academia', papers],
  table: ['sheet', table],
};
/** Reason of an episode that is left where the original keeps a column that the project's rules remove. */
const column = 'a reading of a formula that leaves its column';
const TURNS = 12;
const mostPrinted = 10;

const program = new Command('interop-tools')
  .description("Compares the worlds of tools with AgentGym's own environments.")
  .argument('[families...]', `some of: ${Object.keys(families).join(', ')}`)
  .option('--episodes <n>', 'episodes a family', wholeFrom(1), 200)
  .option('--seed <n>', 'seed of the actions', wholeFrom(0), 1)
  .parse();
const { episodes, seed } = program.opts<{ episodes: number; seed: number }>();

function checkout(): string {
  const given = process.env.TABGYM_AGENTGYM;
  const path = given ?? join(root, 'build/interop/AgentGym');
  if (!existsSync(join(path, 'agentenv-tool')) && !given) {
    command('git', ['clone', '--quiet', 'https://github.com/WooooDyy/AgentGym', path]);
    command('git', ['-C', path, 'checkout', '--quiet', commit]);
  }
  if (!existsSync(join(path, 'agentenv-tool')))
    throw new Skipped(`${path} is not a checkout of AgentGym: agentenv-tool is missing`);
  return path;
}

interface Report {
  episodes: number;
  actions: number;
  ends: number;
  rewarded: number;
  differences: string[];
  /** Episodes that were left at a documented difference, by its name. */
  left: { [reason: string]: number };
  /** Failed calls of a sheet with another text on each side. */
  otherTexts: number;
}

/** Name of the documented difference that an action meets; such an episode is not played on. */
function documented(action: string, { set, expression }: Judged): string | null {
  if (set) return 'a set';
  if (expression) return 'an expression';
  return /get_value_by_formula/.test(action) ? column : null;
}

const isFailure = (observation: string) => /^Observation: (\w*Error\(|ERROR)/.test(observation);

/** True if ours is the original's answer. A failed call of a sheet has the service's text, which is this project's. */
function agrees(ours: Feedback, { answer: [observation, reward, done], failed }: Judged, report: Report): boolean {
  if (ours.reward !== reward || ours.done !== done) return false;
  if (ours.observation === observation) return true;
  if (!failed || !isFailure(ours.observation)) return false;
  report.otherTexts++;
  return true;
}

async function playEpisode(
  world: World,
  upstream: Upstream,
  episode: number,
  task: Parameters<World['reset']>[1][number],
  family: ToolFamily,
  report: Report,
) {
  const random = new Random(seed * 1_000_003 + episode);
  const [start] = await world.reset([0], [task]);
  const tools = (await world.inspect!(0, 'tools')) as unknown as readonly ListedTool[];
  await upstream.begin(judgedOf(instanceOf(family, task)), serviceOf(instanceOf(family, task)));
  let listed = start.validActions ?? [];
  report.episodes++;
  for (let turn = 0; turn < TURNS; turn++) {
    const [plan] = await world.oracle([0]);
    const action = random.chance(50) && plan?.length ? plan[0] : toolAction(listed, tools, random);
    const [ours] = await world.step([0], [action]);
    const theirs = await upstream.act(action);
    report.actions++;
    const reason = documented(action, theirs);
    const leavesColumn = theirs.failed && reason === column;
    if (leavesColumn || !agrees(ours, theirs, report)) {
      if (reason) report.left[reason] = (report.left[reason] ?? 0) + 1;
      else
        report.differences.push(
          `task ${task.id}, turn ${turn}, ${JSON.stringify(action)}\n  ours   ${JSON.stringify([ours.observation, ours.reward, ours.done])}\n  theirs ${JSON.stringify(theirs.answer)}`,
        );
      return;
    }
    if (ours.reward > 0) report.rewarded++;
    if (ours.done) report.ends++;
    listed = validActionsAfter(listed, ours) ?? [];
  }
}

async function compare(name: string): Promise<Report> {
  const [theirs, family] = families[name];
  const world = await openWorld(`tools-${name}`);
  const upstream = Upstream.open(
    process.env.TABGYM_PYTHON ?? 'python3',
    join(root, 'tools/interop/tools'),
    checkout(),
    theirs,
  );
  const tasks = [
    ...(await world.tasks({ upstream: true, instances: 400 }, 'train')),
    ...(await world.tasks({ upstream: true, testInstances: 100 }, 'test')),
  ];
  const report: Report = { episodes: 0, actions: 0, ends: 0, rewarded: 0, differences: [], left: {}, otherTexts: 0 };
  const stride = Math.max(1, Math.floor(tasks.length / episodes));
  for (let episode = 0; episode < episodes; episode++)
    await playEpisode(world, upstream, episode, tasks[(episode * stride) % tasks.length], family, report);
  await Promise.all([upstream.close(), world.close()]);
  return report;
}

try {
  for (const name of program.args.length ? program.args : Object.keys(families)) {
    const { differences, left, ...counts } = await compare(name);
    for (const difference of differences.slice(0, mostPrinted)) console.log(difference);
    const reasons = Object.entries(left).map(([reason, count]) => `${count} left at ${reason}`);
    console.log(
      `${name}: ${counts.episodes} episodes, ${counts.actions} actions, ${counts.rewarded} with a reward, ${counts.ends} ends: ${[`${differences.length} differences`, ...reasons].join(', ')}${counts.otherTexts ? `, ${counts.otherTexts} failures with another text` : ''}`,
    );
    if (differences.length) process.exitCode = 1;
  }
} catch (error) {
  if (!(error instanceof Skipped)) throw error;
  console.log(`skipped: ${error.message}`);
}
