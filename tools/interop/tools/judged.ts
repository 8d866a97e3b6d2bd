/** Tasks of the tools' families in the form of AgentGym's data: goal, answers that count, and the state as it should end. */
import type { Json, Task } from '../../../src/envs/env.ts';
import { mixSeeds, Random } from '../../../src/envs/random.ts';
import type { Instance, ToolFamily } from '../../../src/worlds/tools/family.ts';
import { firstHeldOut, type ToolsOptions } from '../../../src/worlds/tools/options.ts';
import { collaboratorsOf, jointPapers } from '../../../src/worlds/tools/papers/data.ts';
import { PaperInstance } from '../../../src/worlds/tools/papers/instance.ts';
import { TableInstance } from '../../../src/worlds/tools/table/instance.ts';
import { TodoInstance } from '../../../src/worlds/tools/todo/instance.ts';
import { WeatherInstance } from '../../../src/worlds/tools/weather/instance.ts';

/** Room for templates in a task's id. */
const templateRoom = 64;

/** A new instance of a task. */
export function instanceOf({ templates }: ToolFamily, { id, options: given }: Task): Instance {
  const options = given as unknown as ToolsOptions;
  const [index, number] = [id % templateRoom, Math.floor(id / templateRoom)];
  const random = new Random(mixSeeds(options.seed, index, number));
  return templates[index].make({ random, heldOut: number >= firstHeldOut, options });
}

/** The account's state at the end, as Todoist lists it without ids. */
function todoTruth(instance: TodoInstance): Json {
  for (const call of instance.changes() ?? []) instance.call(call);
  const { projects } = instance.data;
  return {
    projects: projects.map(({ order, color, name, favourite }) => ({ order, color, name, is_favorite: favourite })),
    tasks: projects.flatMap(({ id }) =>
      instance.openTasks(id).map(({ order, content, priority, due }) => ({
        ...{ order, content, is_completed: false, priority, due_date: due },
      })),
    ),
  };
}

/** The networks, whose nodes are names. */
function netsOf({ data }: PaperInstance): Json {
  const { papers, authors } = data;
  const authorEdges = authors.flatMap((from) =>
    collaboratorsOf(from, data).map((to) => [
      from.name,
      to.name,
      { collaborative_papers: jointPapers(from, to, data).map(({ title }) => title) },
    ]),
  );
  return {
    paper_net: {
      nodes: Object.fromEntries(
        papers.map(({ title, authors, year, venue, citations, keywords, type }) => [
          title,
          { authors: authors.map(({ name }) => name), year, venue, n_citation: citations, keywords, doc_type: type },
        ]),
      ),
      edges: papers.flatMap(({ title, references }) => references.map((to) => [title, to.title, { weight: 1 }])),
    },
    author_net: {
      nodes: Object.fromEntries(authors.map(({ name, org }) => [name, { name, org }])),
      edges: authorEdges,
    },
  };
}

/** What AgentGym's environment needs of a task. */
export function judgedOf(instance: Instance): { [field: string]: Json } {
  const { goal, answer } = instance;
  const task = { goal, answer };
  if (instance instanceof TodoInstance) {
    const { today, town } = instance.data;
    return { ...task, today, place: town, truth: todoTruth(instance) };
  }
  if (instance instanceof WeatherInstance) {
    const { today, home } = instance.data;
    return { ...task, today, place: home.name };
  }
  if (instance instanceof PaperInstance) return { ...task, nets: netsOf(instance) };
  if (instance instanceof TableInstance)
    return { ...task, truth: JSON.stringify(instance.targetCells.map((row) => row.map(String))) };
  return task;
}
