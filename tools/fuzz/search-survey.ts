/**
 * `npm run fuzz:survey -- [--actions N] [--seed N] [--oracle N]`: plays random actions in surveys under random options,
 * odd texts among them, and checks rewards, endings, listed actions and that a replay is equal. `--oracle`: lets the
 * oracle solve N questions of each split instead. Exits with 1 after a problem.
 */
import { Command } from 'commander';
import { wholeFrom } from '../../src/cli/number-argument.ts';
import { type Feedback, type Task, validActionsAfter, type World, type WorldOptions } from '../../src/envs/env.ts';
import { mixSeeds, Random } from '../../src/envs/random.ts';
import { openWorld } from '../../src/worlds/registry.ts';
import { oracleReward } from './solve.ts';

const program = new Command('fuzz-survey')
  .description('Plays random actions in surveys, and checks what the world answers.')
  .option('--actions <n>', 'number of actions', wholeFrom(1), 200_000)
  .option('--seed <n>', 'seed of options and actions', wholeFrom(0), 1)
  .option('--oracle <n>', 'questions of each split that the oracle solves instead', wholeFrom(1))
  .parse();
const { actions, seed, oracle } = program.opts<{ actions: number; seed: number; oracle?: number }>();

const odd = [
  ...[
    '',
    'more',
    'search',
    'open',
    'yes',
    'yes 0',
    'no 99',
    'partly -1',
    'yes 1e1',
    'open 0',
    'open 99',
    'open __proto__',
  ],
  ...['search " OR title:x*', 'search NEAR(a b)', 'search \u0000', 'search 𝔘 北京', `search ${'word '.repeat(2000)}`],
  ...[
    'open constructor',
    'yes It',
    'no \u2028',
    'YES 1',
    'Open: 1',
    'search The',
    'search of',
    '\ud800',
    'x'.repeat(5000),
  ],
];
const mostTurns = 40;
const mostProblems = 20;

const randomOptions = (random: Random): WorldOptions => ({
  criteria: random.pick([[2], [3], [4], [2, 3, 4]]),
  articles: random.pick([20, 40, 60]),
  documents: random.between(1, 8),
  distractors: random.between(0, 3),
  evidence: random.chance(50),
  actions: random.pick(['sentences', 'numbers']),
  seed: random.between(0, 3),
  universes: 4,
  testUniverses: 2,
  questions: 6,
});

function faultsOf(answer: Feedback, before: readonly string[], wasDone: boolean): string[] {
  const { reward, done, valid, validActions, observation } = answer;
  const listed = validActions ?? before;
  return [
    ...(/^[\n -~]+$/.test(observation) ? [] : ['text that is not printable ASCII']),
    ...(reward >= 0 && reward <= 1 ? [] : [`reward ${reward}`]),
    ...(new Set(listed).size === listed.length ? [] : ['equal valid actions']),
    ...(done || listed.includes('done') ? [] : ['no way to end']),
    ...(wasDone && (!done || valid) ? ['an episode that continues after its end'] : []),
  ];
}

/** A random action: most are listed, some are odd. */
function draw(random: Random, listed: readonly string[]): string {
  const kind = random.below(10);
  if (kind < 2) return random.pick(odd);
  if (kind < 3) return `${random.pick(['search', 'open', 'yes', 'no'])} ${random.pick(odd)}`;
  const going = listed.filter((action) => action !== 'done' || random.chance(15));
  return random.pick(going.length ? going : listed);
}

interface Report {
  actions: number;
  valid: number;
  episodes: number;
  problems: string[];
}

async function play(world: World, task: Task, random: Random, report: Report): Promise<void> {
  const [first] = await world.reset([0], [task]);
  const [played, answers]: [string[], string[]] = [[], [JSON.stringify(first)]];
  let listed = validActionsAfter(null, first) ?? [];
  let done = false;
  const problem = (text: string) =>
    report.problems.push(`${JSON.stringify(task)} after ${JSON.stringify(played)}: ${text}`);
  for (let turn = 0; turn < mostTurns; turn++) {
    const action = draw(random, listed);
    const [answer] = await world.step([0], [action]);
    played.push(action);
    answers.push(JSON.stringify(answer));
    for (const fault of faultsOf(answer, listed, done)) problem(fault);
    if (listed.includes(action) && !done && !answer.valid) problem(`a listed action is refused: ${answer.observation}`);
    await world.view(0);
    listed = validActionsAfter(listed, answer) ?? [];
    report.actions++;
    if (answer.valid) report.valid++;
    if (done) break;
    done = answer.done;
  }
  report.episodes++;
  const again = [JSON.stringify((await world.reset([1], [task]))[0])];
  for (const action of played) again.push(JSON.stringify((await world.step([1], [action]))[0]));
  if (again.join('\n') !== answers.join('\n')) problem('a replay differs');
}

async function fuzz(world: World): Promise<Report> {
  const report: Report = { actions: 0, valid: 0, episodes: 0, problems: [] };
  for (let round = 0; report.actions < actions && report.problems.length < mostProblems; round++) {
    const random = new Random(mixSeeds(seed, round));
    const options = randomOptions(random);
    const tasks = [...(await world.tasks(options, 'train')), ...(await world.tasks(options, 'test'))];
    for (let k = 0; k < 20; k++) await play(world, random.pick(tasks), random, report);
  }
  return report;
}

/** Lets the oracle solve questions of both splits. Returns what it did not solve. */
async function solve(world: World, count: number): Promise<{ solved: number; problems: string[] }> {
  const problems: string[] = [];
  let solved = 0;
  const options = { criteria: [2, 3, 4], evidence: true, questions: 12, universes: 10_000, testUniverses: 10_000 };
  for (const split of ['train', 'test'] as const)
    for (const task of (await world.tasks(options, split)).slice(0, count)) {
      if ((await oracleReward(world, task)) === 1) solved++;
      else problems.push(`${split} task ${task.id} is not solved`);
    }
  return { solved, problems };
}

const world = await openWorld('search-survey');
if (oracle) {
  const { solved, problems } = await solve(world, oracle);
  for (const each of problems.slice(0, mostProblems)) console.log(each);
  console.log(`the oracle solved ${solved} questions, ${problems.length} not`);
  if (problems.length) process.exitCode = 1;
} else {
  const report = await fuzz(world);
  for (const each of report.problems) console.log(each);
  console.log(
    `${report.actions} random actions in ${report.episodes} episodes: ${report.valid} accepted, ${report.problems.length} problems`,
  );
  if (report.problems.length) process.exitCode = 1;
}
