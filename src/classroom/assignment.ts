/**
 * An assignment: an experiment, the settings that pupils may change, and tasks. The teacher's copy has the answers;
 * `forPupils` leaves them out, and its hash is the assignment's identity.
 */
import * as v from 'valibot';
import { type Experiment, ExperimentError, parseExperiment } from '../experiment/experiment.ts';
import { readPath } from '../experiment/paths.ts';
import { problemOf } from '../fields/refusals.ts';
import { sha256 } from '../store/sha256.ts';
import { kindOf, taskSchema } from './tasks/registry.ts';
import type { CommonTask } from './tasks/task.ts';
import { textSchema } from './words.ts';

const format = 'tabgym-assignment-1';

/** A document that is not an assignment, or whose values contradict each other; one line for each problem. */
export class AssignmentError extends Error {
  override name = 'AssignmentError';
  constructor(readonly problems: readonly { path: string; message: string }[]) {
    super(
      `This is not an assignment that can be used:\n${problems
        .slice(0, 20)
        .map(({ path, message }) => `  ${path || '(document)'}: ${message}`)
        .join('\n')}`,
    );
  }
}

const path = v.pipe(
  v.string(),
  v.regex(/^[A-Za-z]\w*(\.\w+){0,11}$/, 'must be a dotted path, such as optimizer.learningRate'),
  v.maxLength(200),
);
const finite = v.pipe(v.number(), v.finite());

/** A setting that pupils may change. A path of a part allows everything in it. */
const changeable = v.strictObject({
  path,
  least: v.optional(finite),
  most: v.optional(finite),
  oneOf: v.optional(v.pipe(v.array(v.unknown()), v.minLength(1), v.maxLength(50))),
});

const schema = v.strictObject({
  format: v.literal(format),
  title: textSchema,
  /** Introduction above the tasks. */
  intro: v.optional(textSchema),
  /** Date and time in the teacher's words; nothing is computed from it. */
  deadline: v.optional(v.pipe(v.string(), v.maxLength(200))),
  experiment: v.unknown(),
  mayChange: v.optional(v.pipe(v.array(changeable), v.maxLength(200)), []),
  /** Settings whose fields the page does not show. */
  hidden: v.optional(v.pipe(v.array(path), v.maxLength(200)), []),
  tasks: v.pipe(v.array(taskSchema), v.minLength(1, 'must have at least 1 task'), v.maxLength(60)),
});

export interface Assignment extends Omit<v.InferOutput<typeof schema>, 'experiment' | 'tasks'> {
  experiment: Experiment;
  tasks: CommonTask[];
}

export type Changeable = Assignment['mayChange'][number];

function parsedExperiment(document: unknown): Experiment {
  try {
    return parseExperiment(document);
  } catch (error) {
    if (!(error instanceof ExperimentError)) throw error;
    throw new AssignmentError(error.problems.map(({ path: at, message }) => ({ path: `experiment.${at}`, message })));
  }
}

/** Problems that involve several fields. */
function crossProblems({ tasks, mayChange, experiment }: Assignment): { path: string; message: string }[] {
  const ids = tasks.map(({ id }) => id);
  const twice = ids.flatMap((id, k) =>
    ids.indexOf(id) < k ? [{ path: `tasks.${k}.id`, message: `"${id}" is the id of an earlier task` }] : [],
  );
  const never = ['format', 'name', 'sweep'];
  const refused = mayChange.flatMap(({ path: at }, k) =>
    never.includes(at) ? [{ path: `mayChange.${k}.path`, message: `${at} is not a setting of a run` }] : [],
  );
  const sweeps = experiment.sweep
    ? [{ path: 'experiment.sweep', message: 'an assignment has one run: leave out the sweep' }]
    : [];
  return [...twice, ...refused, ...sweeps];
}

/** Checks a document, parsed from JSON. Throws AssignmentError. */
export function parseAssignment(document: unknown): Assignment {
  const result = v.safeParse(schema, document);
  if (!result.success) throw new AssignmentError(result.issues.map((issue) => problemOf(issue)));
  const assignment = { ...result.output, experiment: parsedExperiment(result.output.experiment) };
  const problems = crossProblems(assignment);
  if (problems.length) throw new AssignmentError(problems);
  return assignment;
}

/** Reads the text of a file. Throws AssignmentError. */
export function readAssignment(text: string): Assignment {
  let document: unknown;
  try {
    document = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new AssignmentError([{ path: '', message: `it is not JSON: ${(error as Error).message}` }]);
  }
  return parseAssignment(document);
}

export const writeAssignment = (assignment: Assignment): string => `${JSON.stringify(assignment, null, 2)}\n`;

/** The pupils' copy: without answers and the teacher's notes. */
export const forPupils = (assignment: Assignment): Assignment => ({
  ...assignment,
  tasks: assignment.tasks.map((task) => kindOf(task).forPupils?.(task) ?? task),
});

/** JSON with the fields of every object in order, so that equal documents have equal texts. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((each) => canonical(each ?? null)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value)
    .filter(([, each]) => each !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, each]) => `${JSON.stringify(name)}:${canonical(each)}`).join(',')}}`;
}

/** Identity of an assignment: the same for the teacher's and the pupils' copy. */
export const assignmentHash = (assignment: Assignment): string =>
  sha256(new TextEncoder().encode(canonical(forPupils(assignment))));

const usuallyChanged = [
  'seed',
  'optimizer.learningRate',
  'algorithm.groups',
  'algorithm.groupSize',
  'sampling.temperature',
];

/** Settings of an experiment that pupils may change in a new assignment. */
export const usualSettings = (experiment: Experiment): string[] =>
  usuallyChanged.filter((at) => readPath(experiment, at) !== undefined);

/** New assignment over an experiment, with a goal on held-out success. */
export const newAssignment = (experiment: Experiment, atLeast: number): Assignment =>
  parseAssignment({
    format,
    title: { en: experiment.name },
    experiment,
    mayChange: usualSettings(experiment).map((at) => ({ path: at })),
    tasks: [
      {
        kind: 'success',
        id: 'success',
        text: { en: 'Train an agent that succeeds on held-out tasks.', zh: '训练一个能完成留出任务的智能体。' },
        atLeast,
        points: 5,
      },
    ],
  });
