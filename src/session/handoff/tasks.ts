/** Tasks of a run as rows of a data set, and the servers on which they are played. */
import {
  type Json,
  promptRulesOf,
  type Split,
  type Task,
  type World,
  type WorldDescription,
  type WorldOptions,
} from '../../envs/env.ts';
import type { WorldModule } from '../../envs/module.ts';
import type { AgentGymForm } from '../../envs/serving/form.ts';
import type { Experiment } from '../../experiment/experiment.ts';
import { acknowledgement } from '../../rl/episode/conversation.ts';
import { evaluationTasks, TaskSampler, taskKey } from '../../rl/schedule/tasks.ts';
import { worldModule } from '../../worlds/registry.ts';
import { type OpenWorld, withWorlds } from '../opened-worlds.ts';
import { HandoffError, type TaskRow, type WorldServer } from './target.ts';

/** Port of the first server, as in AgentGym's examples; the others follow. */
const firstPort = 36_001;
/** Number of tasks that the oracle plans at a time. */
const atOnce = 64;

interface Listed {
  server: number;
  split: Split;
  index: number;
  dataIndex: number | null;
}

interface Source {
  module: WorldModule;
  form: AgentGymForm;
  options: WorldOptions;
  weight: number;
  evaluated: boolean;
  server: number;
}

/** A world that runs on a remote server cannot be handed over: another trainer does not know that server. */
async function formOf(module: WorldModule): Promise<AgentGymForm> {
  const form = await module.agentgym?.();
  if (form) return form;
  throw new HandoffError(
    `${module.title} is not served by this project: it is reached at a server of its own. Choose worlds that npm run serve lists.`,
  );
}

type Listening = Omit<WorldServer, 'tools' | 'callInstruction'>;

async function sourcesOf({ worlds }: Experiment): Promise<{ sources: Source[]; servers: Listening[] }> {
  const servers: Listening[] = [];
  const sources: Source[] = [];
  for (const { name, options, weight, evaluated } of worlds) {
    const module = worldModule(name);
    const form = await formOf(module);
    const key = (each: { world: string; options: { [key: string]: Json } }) =>
      JSON.stringify([each.world, each.options]);
    const own = { world: name, options };
    let server = servers.findIndex((each) => key(each) === key(own));
    if (server < 0)
      server =
        servers.push({
          ...own,
          title: module.title,
          port: firstPort + servers.length,
          agentgym: form.server,
          agentgymPath: form.path,
        }) - 1;
    sources.push({ module, form, options, weight, evaluated, server });
  }
  return { sources, servers };
}

type Lists = { train: Task[]; test: Task[]; places: Map<string, Listed> };

async function listsOf(source: Source, world: World): Promise<Lists> {
  const [train, test] = [await world.tasks(source.options, 'train'), await world.tasks(source.options, 'test')];
  const all = [...train, ...test];
  const itemOf = source.form.itemOf ?? (({ id }: Task) => id);
  const places = new Map<string, Listed>();
  for (const [split, tasks] of [['train', train] as const, ['test', test] as const])
    tasks.forEach((task, index) => {
      places.set(`${source.server} ${taskKey(task)}`, {
        server: source.server,
        split,
        index,
        dataIndex: itemOf(task, all),
      });
    });
  return { train, test, places };
}

/** Number of turns of the oracle for each task; null: it has no plan. */
async function oracleTurns(world: World, tasks: readonly Task[]): Promise<(number | null)[]> {
  const out: (number | null)[] = [];
  for (let first = 0; first < tasks.length; first += atOnce) {
    const some = tasks.slice(first, first + atOnce);
    const slots = some.map((_, i) => i);
    await world.reset(slots, some);
    out.push(...(await world.oracle(slots)).map((plan) => plan?.length ?? null));
    world.leave?.(slots);
  }
  return out;
}

/** Distinct tasks of a list with the number of turns of their oracle. */
async function oraclesOf(worlds: ReadonlyMap<string, World>, tasks: readonly Task[]) {
  const known = new Map<string, number | null>();
  for (const [name, world] of worlds) {
    if (!world.describe().hasOracle) continue;
    const own = [...new Map(tasks.filter((task) => task.world === name).map((task) => [taskKey(task), task])).values()];
    (await oracleTurns(world, own)).forEach((turns, i) => {
      known.set(taskKey(own[i]), turns);
    });
  }
  return known;
}

function rowOf(task: Task, listed: Listed, description: WorldDescription, turns: number | null): TaskRow {
  const promptRules = promptRulesOf(description, task);
  return {
    item: `${task.world}_${task.id}`,
    world: task.world,
    id: task.id,
    ...listed,
    instruction: promptRules.instruction,
    acknowledgement: promptRules.acknowledgement ?? acknowledgement,
    oracleTurns: turns,
    successReward: promptRules.successReward,
    strata: task.strata,
  };
}

export interface HandedTasks {
  servers: WorldServer[];
  train: TaskRow[];
  test: TaskRow[];
}

/** Training tasks of the steps after `done` in the run's order, and the evaluation tasks. */
export async function handedTasks(
  experiment: Experiment,
  { done, steps }: { done: number; steps: number },
  openWorld: OpenWorld,
): Promise<HandedTasks> {
  const { sources, servers: known } = await sourcesOf(experiment);
  return withWorlds(experiment, openWorld, async (worlds) => {
    const servers = known.map((each): WorldServer => {
      const { tools = null, callInstruction = null } = worlds.get(each.world)!.describe();
      return { ...each, tools, callInstruction };
    });
    const lists: Lists[] = [];
    for (const source of sources) lists.push(await listsOf(source, worlds.get(source.module.name)!));
    const sampler = new TaskSampler(
      sources.map(({ weight }, i) => ({ weight, tasks: lists[i].train })),
      experiment.seed,
    );
    const { groups } = experiment.algorithm;
    const train = Array.from({ length: steps }, (_, step) => sampler.step(done + step + 1, groups)).flat();
    const held = lists.flatMap((list, i) => (sources[i].evaluated ? list.test : []));
    const test = evaluationTasks(held, Math.min(held.length, experiment.evaluation.episodes));
    const oracles = await oraclesOf(worlds, [...train, ...test]);
    const places = new Map(lists.flatMap((list) => [...list.places]));
    const row = (task: Task): TaskRow => {
      const key = taskKey(task);
      const listed = servers.map((_, i) => places.get(`${i} ${key}`)).find((each) => each !== undefined)!;
      return rowOf(task, listed, worlds.get(task.world)!.describe(), oracles.get(key) ?? null);
    };
    const handed = { servers, train: train.map(row), test: test.map(row) };
    for (const world of worlds.values()) await world.close();
    return handed;
  });
}
