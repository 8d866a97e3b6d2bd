/**
 * `npm run fuzz:shop -- [--actions N] [--seed N] [--oracle N] [--dump FOLDER]`: plays random actions, odd ones among
 * them, in made shops under random options, and checks rewards, endings, buttons and that a replay is equal. `--oracle`:
 * lets the oracle solve N wishes of each split instead. `--dump`: writes a made shop in WebShop's files instead. Exits
 * with 1 after a problem.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { wholeFrom } from '../../src/cli/number-argument.ts';
import { type Feedback, type Task, validActionsAfter, type World, type WorldOptions } from '../../src/envs/env.ts';
import { mixSeeds, Random } from '../../src/envs/random.ts';
import { openWorld } from '../../src/worlds/registry.ts';
import { sampleShop } from '../shop-reference/sample.ts';
import { oracleReward } from './solve.ts';

const program = new Command('fuzz-shop')
  .description('Plays random actions in made shops, and checks what the shop answers.')
  .option('--actions <n>', 'number of actions', wholeFrom(1), 200_000)
  .option('--seed <n>', 'seed of options and actions', wholeFrom(0), 1)
  .option('--oracle <n>', 'wishes of each split that the oracle solves instead', wholeFrom(1))
  .option('--dump <folder>', "folder for a made shop in WebShop's files")
  .parse();
const { actions, seed, oracle, dump } = program.opts<{
  actions: number;
  seed: number;
  oracle?: number;
  dump?: string;
}>();

const odd = [
  ...['', '[', ']', 'click[', 'search[]', 'click[]', 'click[nothing]', 'search[" OR title:x*]', 'search[NEAR(a b)]'],
  ...['search[\u0000]', 'click[buy now', 'CLICK[buy now]', 'click[Buy Now]', 'search[a][b]', 'click[item 99]'],
  ...['search[𝔘 ñ 北京]', `search[${'word '.repeat(2000)}]`, 'click[__proto__]', 'click[constructor]', 'search\n[x]'],
];
const mostTurns = 40;

const randomOptions = (random: Random): WorldOptions => ({
  products: random.pick([100, 300]),
  observation: random.pick(['text', 'rich', 'brief']),
  perPage: random.between(2, 10),
  results: random.between(2, 50),
  upstream: random.chance(40),
  matcher: random.pick(['difflib', 'levenshtein']),
  seed: random.between(0, 2),
});

interface Game {
  task: Task;
  played: string[];
  answers: Feedback[];
}

/** Problems of an answer. */
function faultsOf(answer: Feedback, before: readonly string[]): string[] {
  const { reward, done, valid, validActions, observation } = answer;
  const faults = [];
  if (!(reward >= 0 && reward <= 1)) faults.push(`reward ${reward}`);
  if (!done && reward !== 0) faults.push(`reward ${reward} before the end`);
  if (!observation && valid) faults.push('no observation');
  if (validActions && new Set(validActions).size !== validActions.length) faults.push('equal valid actions');
  if (!done && !(validActions ?? before).length) faults.push('no valid actions');
  return faults;
}

async function playOne(world: World, random: Random): Promise<Game & { problems: string[] }> {
  const task = {
    world: 'shop',
    id: random.below(50) + (random.chance(50) ? 1_000_000 : 0),
    options: randomOptions(random),
    strata: {},
  };
  const [first] = await world.reset([0], [task]);
  const game = { task, played: [] as string[], answers: [first], problems: faultsOf(first, []) };
  let listed = first.validActions ?? [];
  while (!game.answers.at(-1)!.done && game.played.length < mostTurns) {
    const strange = random.chance(15);
    const action = strange ? random.pick(odd) : random.pick(listed);
    const [answer] = await world.step([0], [action]);
    game.played.push(action);
    game.answers.push(answer);
    if (!strange && !answer.valid) game.problems.push(`refused a valid action: ${action}`);
    game.problems.push(...faultsOf(answer, listed));
    listed = validActionsAfter(listed, answer)!;
  }
  return game;
}

async function fuzz(count: number): Promise<void> {
  const world = await openWorld('shop');
  const problems: string[] = [];
  let [done, episodes, bought] = [0, 0, 0];
  for (let place = 0; done < count; place++) {
    const random = new Random(mixSeeds(seed, place));
    const { task, played, answers, problems: found } = await playOne(world, random);
    problems.push(...found.map((problem) => `${JSON.stringify(task.options)} ${task.id}: ${problem}`));
    if (place % 10 === 0) {
      await world.reset([1], [task]);
      for (const [k, action] of played.entries()) {
        const [again] = await world.step([1], [action]);
        if (JSON.stringify(again) !== JSON.stringify(answers[k + 1])) problems.push(`a replay differs at ${action}`);
      }
    }
    done += played.length;
    episodes++;
    bought += Number(answers.at(-1)!.done);
  }
  for (const problem of problems.slice(0, 50)) console.log(problem);
  console.log(`${done} actions in ${episodes} episodes, ${bought} purchases, ${problems.length} problems`);
  if (problems.length) process.exitCode = 1;
}

async function solveAll(each: number): Promise<void> {
  const world = await openWorld('shop');
  const options = { instances: each, testInstances: Math.min(each, 10_000) };
  const tasks = [...(await world.tasks(options, 'train')), ...(await world.tasks(options, 'test'))];
  let [solved, unlisted] = [0, 0];
  for (const task of tasks) {
    const [{ validActions }] = await world.reset([0], [task]);
    const [plan] = await world.oracle([0]);
    unlisted += Number(!validActions!.includes(plan![0]));
    solved += Number((await oracleReward(world, task)) === 1);
  }
  console.log(
    `shop: the oracle solves ${solved} of ${tasks.length} wishes, ${unlisted} by a search that is not listed`,
  );
  if (solved < tasks.length) process.exitCode = 1;
}

function writeAll(folder: string): void {
  const { files } = sampleShop(seed);
  mkdirSync(folder, { recursive: true });
  const names = { products: 'items_shuffle', attributes: 'items_ins_v2', human: 'items_human_ins', nouns: 'nouns' };
  for (const [part, name] of Object.entries(names))
    writeFileSync(`${folder}/${name}.json`, files[part as keyof typeof files]);
  console.log(`a shop in ${folder}`);
}

if (dump) writeAll(dump);
else if (oracle) await solveAll(oracle);
else await fuzz(actions);
