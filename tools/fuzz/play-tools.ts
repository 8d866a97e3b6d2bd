/**
 * Fuzzes a world of tools: plays valid calls, calls with random arguments in each form, damaged texts and any Unicode,
 * and checks the form of each answer.
 */
import type { Feedback, Json, Task, World, WorldOptions } from '../../src/envs/env.ts';
import { Random } from '../../src/envs/random.ts';

export interface FuzzReport {
  actions: number;
  valid: number;
  episodes: number;
  successes: number;
  /** The slowest step, in milliseconds. */
  slowestMs: number;
  /** The first few faults found. */
  problems: string[];
}

const MOST_PROBLEMS = 10;
/** Turns per episode; some come after its end, because a world must answer then too. */
const TURNS = 14;

export interface ListedTool {
  function: { name: string; parameters: { properties: { [name: string]: object } } };
}

const PIECES = [
  ...[
    '',
    ' ',
    '\n',
    '\0',
    '\u2028',
    '\ufeff',
    '\ud800',
    '\udc00',
    '😀',
    'é',
    '\u0085',
    "'",
    '"',
    '\\',
    '{',
    '}',
    '[',
    '(',
    ',',
  ],
  ...[
    'finish',
    'Finish',
    'Invalid',
    'with Action Input:',
    'Action:',
    '<tool_call>',
    '__proto__',
    'constructor',
    '1e999',
  ],
];

const randomText = (random: Random): string =>
  Array.from({ length: random.below(10) }, () =>
    random.chance(50)
      ? random.pick(PIECES)
      : String.fromCharCode(random.chance(70) ? random.below(0x250) : random.below(0x10000)),
  ).join('');

/** A Python literal, or a text that is none. `seen`: values that the world has shown. */
function randomLiteral(random: Random, seen: readonly string[], depth = 0): string {
  const kind = random.below(depth > 2 ? 8 : 12);
  const inner = () => randomLiteral(random, seen, depth + 1);
  const several = () => Array.from({ length: random.below(4) }, inner).join(', ');
  if (kind < 4 && seen.length) return JSON.stringify(random.pick(seen));
  if (kind < 5) return `'${random.pick(['31', 'done', 'Yes', '2031-05-04', 'finish', 'a\\n', '\\x41', 'é'])}'`;
  if (kind < 6) return String(random.below(100) - 20);
  if (kind < 7)
    return random.pick([
      'True',
      'False',
      'None',
      'true',
      'null',
      '1.0',
      '2.50',
      '-0.0',
      '1e20',
      '0x1f',
      '1_000',
      'nan',
    ]);
  if (kind < 8) return JSON.stringify(randomText(random));
  if (kind < 9) return `[${several()}]`;
  if (kind < 10) return `(${several()},)`.replace('(,)', '()');
  if (kind < 11) return `{${several()}}`;
  return `{${Array.from({ length: random.below(3) }, () => `${JSON.stringify(random.pick(['id', 'task', 'a']))}: ${inner()}`).join(', ')}}`;
}

/** A call with a known name and mostly known arguments, in one of the forms. */
function randomCall(tools: readonly ListedTool[], seen: readonly string[], random: Random): string {
  const { name, parameters } = random.pick(tools).function;
  const keys = Object.keys(parameters.properties).filter(() => random.chance(93));
  if (random.chance(5)) keys.push('extra');
  const values = keys.map(() => randomLiteral(random, seen));
  const input = `{${keys.map((key, k) => `'${key}': ${values[k]}`).join(', ')}}`;
  const form = random.below(10);
  if (form < 6) return `Thought: I call it.\n\nAction: ${name} with Action Input: ${input}`;
  if (form < 7) return `<tool_call>\n{"name": "${name}", "arguments": ${input.replaceAll("'", '"')}}\n</tool_call>`;
  if (form < 8) return [name, ...values].join(' ');
  return `Action: ${name}${random.pick([' ', '\n', '\u00a0'])}with  Action Input:${random.pick(['', ' ', '\n'])}${random.chance(70) ? input : randomLiteral(random, seen)}${random.pick(['', '', '\n', ' ', '\nmore'])}`;
}

function damaged(action: string, random: Random): string {
  const at = random.below(action.length + 1);
  return action.slice(0, at) + random.pick(PIECES) + action.slice(at + random.below(3));
}

/** An action for an episode that offers `valid`. */
export function toolAction(valid: readonly string[], tools: readonly ListedTool[], random: Random): string {
  const seen = () => valid.flatMap((action) => action.match(/[\p{L}\p{N}-]+/gu)?.slice(1) ?? []);
  const kind = random.below(20);
  if (kind < 8 && valid.length) return random.pick(valid);
  if (kind < 15) return randomCall(tools, seen(), random);
  if (kind < 18 && valid.length) return damaged(random.pick(valid), random);
  return randomText(random);
}

function problemOf(
  { observation, reward, done, failure, valid }: Feedback,
  over: boolean,
  upstream: boolean,
): string | null {
  if (failure !== undefined) return `failure ${failure}`;
  if (typeof observation !== 'string' || !observation) return 'no text';
  if (!Number.isFinite(reward) || reward < 0 || reward > 1) return `reward ${reward}`;
  if (upstream) return null;
  if (!done && reward >= 1) return `reward ${reward} before the end`;
  return over && (!done || valid) ? 'an episode that continues after its end' : null;
}

const toolsOf = async (world: World): Promise<readonly ListedTool[]> =>
  (await world.inspect!(0, 'tools')) as unknown as ListedTool[];

/** Options under which each world is fuzzed. */
const fuzzedOptions: readonly WorldOptions[] = [{}, { upstream: true }, { observation: 'brief', partial: false }];

/** Plays at least `actions` texts over tasks of both splits. */
export async function fuzzTools(world: World, actions: number, seed: number): Promise<FuzzReport> {
  const report: FuzzReport = { actions: 0, valid: 0, episodes: 0, successes: 0, slowestMs: 0, problems: [] };
  const lists = await Promise.all(
    fuzzedOptions.map(async (options) => [
      ...(await world.tasks({ ...options, instances: 20 }, 'train')),
      ...(await world.tasks(options, 'test')),
    ]),
  );
  for (let episode = 0; report.actions < actions; episode++) {
    const random = new Random(seed * 1_000_003 + episode);
    await fuzzEpisode(world, random.pick(lists[episode % lists.length]), random, report);
  }
  return report;
}

async function fuzzEpisode(world: World, task: Task, random: Random, report: FuzzReport): Promise<void> {
  const [start] = await world.reset([0], [task]);
  const [twinStart] = await world.reset([1], [task]);
  if (JSON.stringify(start as unknown as Json) !== JSON.stringify(twinStart as unknown as Json))
    report.problems.push(`${JSON.stringify(task)}: two beginnings of one task`);
  const tools = await toolsOf(world);
  let listed = start.validActions ?? [];
  let over = false;
  report.episodes++;
  for (let turn = 0; turn < TURNS; turn++) {
    const action = toolAction(listed, tools, random);
    const started = performance.now();
    const [answer] = await world.step([0], [action]);
    report.slowestMs = Math.max(report.slowestMs, performance.now() - started);
    const [twin] = await world.step([1], [action]);
    const differs = JSON.stringify(answer as unknown as Json) !== JSON.stringify(twin as unknown as Json);
    const problem = differs ? 'two answers to one action' : problemOf(answer, over, task.options.upstream === true);
    if (problem && report.problems.length < MOST_PROBLEMS)
      report.problems.push(`${JSON.stringify(task)}, turn ${turn}, ${JSON.stringify(action)}: ${problem}`);
    report.actions++;
    if (answer.valid) report.valid++;
    if (answer.done && answer.reward === 1 && !over) report.successes++;
    over ||= answer.done;
    listed = answer.validActions ?? listed;
  }
  await world.view(0);
  await world.oracle([0]);
}
