/**
 * `npm run fuzz:phone -- [--actions N] [--seed N] [--oracle N]`: plays random actions on phones under random options, odd
 * texts among them, and checks rewards, endings, listed actions, the laws of the layout and that a replay is equal.
 * `--oracle`: lets the oracle solve N instances of each template and split instead. Exits with 1 after a problem.
 */
import { Command } from 'commander';
import { wholeFrom } from '../../src/cli/number-argument.ts';
import { type Feedback, type Task, validActionsAfter, type World, type WorldOptions } from '../../src/envs/env.ts';
import { mixSeeds, Random } from '../../src/envs/random.ts';
import { openWorld } from '../../src/worlds/registry.ts';
import { layoutFaults } from './phone-layout.ts';
import { oracleReward } from './solve.ts';

const program = new Command('fuzz-phone')
  .description('Plays random actions on phones, and checks what the phone answers.')
  .option('--actions <n>', 'number of actions', wholeFrom(1), 200_000)
  .option('--seed <n>', 'seed of options and actions', wholeFrom(0), 1)
  .option('--oracle <n>', 'instances of each template that the oracle solves instead', wholeFrom(1))
  .parse();
const { actions, seed, oracle } = program.opts<{ actions: number; seed: number; oracle?: number }>();

const odd = [
  ...[
    '',
    '(',
    'tap',
    'tap()',
    'tap(1)',
    'tap(1,2,3)',
    'tap(-1,5)',
    'tap(1e3,5)',
    'tap(NaN,5)',
    'tap(0,0)',
    'tap(999,999)',
  ],
  ...[
    'text(500,500,)',
    'text(500,740,\u0000\u2028)',
    'text(500,740,𝔘 北京)',
    `text(500,740,${'x'.repeat(1500)})`,
    'x'.repeat(5000),
  ],
  ...['scroll(500,500,up)', 'scroll(500,500,left)', 'scroll(1,1,UP)', 'drag(1,1,999,999)', 'call_api(__proto__,open)'],
  ...[
    'call_api(shop,open)',
    'call_api(shop,kill)',
    'take_over',
    'constructor()',
    '__proto__',
    'tap 0',
    'tap 999',
    'set 1 70',
  ],
  ...[
    'type 1 __proto__',
    'hold 1',
    'tap 9 9 9 9 9 9',
    'hold 4 8 0 1 3 5',
    'tap 4 8 0 1 3',
    'long_press(500,300)',
    'enter()',
    'wait()',
    'long_screen_shot()',
    'navigate_back()',
  ],
];
const mostTurns = 40;
const mostProblems = 20;

const randomOptions = (random: Random): WorldOptions => ({
  items: random.between(3, 10),
  observation: random.pick(['full', 'brief']),
  actions: random.pick(['coordinates', 'points', 'numbers', 'names']),
  popups: random.pick([0, 50, 100]),
  slow: random.pick([0, 50, 100]),
  largeFont: random.pick([0, 100]),
  partial: random.chance(50),
  stepReward: random.chance(50),
  distance: random.chance(50),
  seed: random.between(0, 3),
  instances: 3,
  testInstances: 2,
});

/** A random action: most are listed, some are odd, some are at a random point. */
function draw(random: Random, listed: readonly string[]): string {
  const kind = random.below(10);
  if (kind < 2) return random.pick(odd);
  if (kind < 3) return `${random.pick(['tap', 'long_press'])}(${random.below(1000)},${random.below(1000)})`;
  if (kind < 4) return `text(${random.below(1000)},${random.below(1000)},${random.pick(odd)})`;
  const going = listed.filter((action) => !/^(finish|no.answer|take.over)/.test(action) || random.chance(5));
  return random.pick(going.length ? going : listed);
}

function faultsOf(answer: Feedback, before: readonly string[], wasDone: boolean, partial: boolean): string[] {
  const { reward, done, valid, validActions, observation } = answer;
  const listed = validActions ?? before;
  return [
    ...(/^[\n -~]+$/.test(observation) ? [] : ['text that is not printable ASCII']),
    ...(reward >= 0 && reward <= 1 ? [] : [`reward ${reward}`]),
    ...(done || reward === 0 || (partial && reward <= 0.5) ? [] : [`reward ${reward} before the end`]),
    ...(new Set(listed).size === listed.length ? [] : ['equal valid actions']),
    ...(done || listed.length ? [] : ['no valid actions']),
    ...(wasDone && (!done || valid) ? ['an episode that continues after its end'] : []),
  ];
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
    const offered = listed.includes(played.at(-1) ?? '') ? [] : listed;
    const action = draw(random, offered.length ? offered : listed);
    const [answer] = await world.step([0], [action]);
    played.push(action);
    answers.push(JSON.stringify(answer));
    const faults = faultsOf(answer, listed, done, task.options.partial === true || task.options.stepReward === true);
    if (listed.includes(action) && !done && !answer.valid)
      faults.push(`a listed action is refused: ${answer.observation}`);
    for (const fault of [...faults, ...layoutFaults((await world.view(0)) as never)]) problem(fault);
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

/** Lets the oracle solve instances of every template. Returns what it did not solve. */
async function solve(world: World, count: number): Promise<{ solved: number; problems: string[] }> {
  const problems: string[] = [];
  let solved = 0;
  const options = { instances: count, testInstances: count };
  for (const split of ['train', 'test'] as const)
    for (const task of await world.tasks(options, split)) {
      if ((await oracleReward(world, task)) === 1) solved++;
      else problems.push(`${split} task ${task.id} is not solved`);
    }
  return { solved, problems };
}

const world = await openWorld('phone');
if (oracle) {
  const { solved, problems } = await solve(world, oracle);
  for (const each of problems.slice(0, mostProblems)) console.log(each);
  console.log(`the oracle solved ${solved} tasks, ${problems.length} not`);
  if (problems.length) process.exitCode = 1;
} else {
  const report = await fuzz(world);
  for (const each of report.problems) console.log(each);
  console.log(
    `${report.actions} random actions in ${report.episodes} episodes: ${report.valid} accepted, ${report.problems.length} problems`,
  );
  if (report.problems.length) process.exitCode = 1;
}
