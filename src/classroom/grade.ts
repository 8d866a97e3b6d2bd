/** Grades one handed-in file: opens it, computes its claims again, and checks the assignment's tasks. */
import { mixSeeds, Random } from '../envs/random.ts';
import { customCodeOf } from '../experiment/custom-code.ts';
import type { Rate } from '../rl/evaluation/evaluation.ts';
import { rateOf } from '../rl/evaluation/evaluation.ts';
import { isCounted } from '../rl/evaluation/suite-results.ts';
import type { EngineFactory } from '../session/engine.ts';
import {
  type EvaluatedPolicy,
  playSuite,
  suiteFor,
  UnknownSuiteError,
} from '../session/evaluation/suite-evaluation.ts';
import type { Assignment } from './assignment.ts';
import { changesOf } from './changes.ts';
import { checkCurve } from './curve.ts';
import { type HandedIn, openHandIn } from './hand-in.ts';
import { type Reason, RefusedError } from './refused.ts';
import { type Replayed, replay } from './replay.ts';
import { kindOf } from './tasks/registry.ts';
import type { Given, SuiteAsked, Verdict } from './tasks/task.ts';

export interface GradedTask extends Verdict {
  id: string;
  kind: string;
  points: number;
  most: number;
}

interface Common {
  file: string;
  pupil: string;
}

export interface Graded extends Common {
  status: 'graded';
  /** Hash of the last weights. */
  code: string;
  points: number;
  most: number;
  /** Points of tasks that a person still decides. */
  open: number;
  tasks: GradedTask[];
  checked: Replayed;
  changes: { path: string; from: unknown; to: unknown }[];
  /** Success of the batches and on held-out tasks, by step. */
  curve: { step: number; success: number | null; heldOut: number | null }[];
  /** Number of runs in the pupil's log. */
  runs: number;
  answers: { [task: string]: unknown };
}

interface Refused extends Common {
  status: 'refused';
  reason: Reason;
  message: string;
  most: number;
}

export type Result = Graded | Refused;

export interface GradeOptions {
  engines: EngineFactory;
  /** Seed of the held-out tasks' sampling and of the steps that are drawn; the pupils do not have it. */
  seed: number;
  /** Maximum number of steps that are computed again. */
  steps: number;
  /** Runs code of the handed-in experiments, in a sandbox. */
  allowCode: boolean;
}

const mostOf = ({ tasks }: Assignment) => tasks.reduce((sum, { points }) => sum + points, 0);

/** Success on a suite's held-out tasks, one attempt each. */
async function suiteRate(
  { suite: name, items }: SuiteAsked,
  assignment: Assignment,
  run: HandedIn,
  { engines, seed }: GradeOptions,
): Promise<Rate> {
  const found = suiteFor(name, assignment.experiment);
  const policy: EvaluatedPolicy = {
    name: run.file,
    experiment: run.experiment,
    tokenizer: run.tokenizer,
    checkpoint: run.checkpoints.at(-1)!,
  };
  const request = { suite: name, samples: 1, greedy: false, temperature: null, seed, turns: [] };
  const { signal } = new AbortController();
  const asked = items === null ? found : { ...found, suite: { ...found.suite, most: items } };
  const played = await playSuite(engines, policy, request, { signal }, asked);
  const tries = played.items.flatMap((item) => item.tries).filter(isCounted);
  return rateOf(tries.filter(({ success }) => success).length, tries.length);
}

/** A task's verdict. A suite that does not exist here is the teacher's mistake: the task stays open, and says so. */
async function checked(task: Assignment['tasks'][number], given: Given): Promise<Verdict> {
  try {
    return await kindOf(task).check(task, given);
  } catch (error) {
    if (!(error instanceof UnknownSuiteError)) throw error;
    return { passed: null, measured: `not played: ${error.message}`, needed: 'a suite that exists' };
  }
}

async function gradedTasks(assignment: Assignment, run: HandedIn, options: GradeOptions): Promise<GradedTask[]> {
  const played = new Map<string, Promise<Rate>>();
  const suite = (asked: SuiteAsked) => {
    const key = JSON.stringify(asked);
    const found = played.get(key) ?? suiteRate(asked, assignment, run, options);
    played.set(key, found);
    return found;
  };
  const graded: GradedTask[] = [];
  for (const task of assignment.tasks) {
    const given: Given = {
      answer: run.document.answers[task.id],
      records: run.records,
      parameters: run.parameters,
      trajectories: (step) => run.trajectories.get(step) ?? null,
      suite,
    };
    const verdict = await checked(task, given);
    const { id, kind, points } = task;
    graded.push({ id, kind, points: verdict.passed ? points : 0, most: points, ...verdict });
  }
  return graded;
}

const curveOf = ({ records }: HandedIn): Graded['curve'] =>
  records.map(({ step, metrics, evaluation }) => ({
    step,
    success: metrics.success ?? null,
    heldOut: evaluation?.test.policy.rate ?? null,
  }));

/** Interface of the page's grading worker. */
export interface GradingApi {
  grade(assignment: Assignment, file: string, bytes: Uint8Array, seed: number): Promise<Result>;
}

/** Grades an opened file. Throws RefusedError. */
async function graded(assignment: Assignment, run: HandedIn, options: GradeOptions): Promise<Graded> {
  if (customCodeOf(run.experiment).length && !options.allowCode)
    throw new RefusedError('code', 'It has code, which was not run: read it, and allow code if you trust the sandbox.');
  checkCurve(run.records, run.trajectories);
  const random = new Random(mixSeeds(options.seed, Number.parseInt(run.code, 16)));
  const replayed = await replay(run, options.engines, { most: options.steps, random });
  const tasks = await gradedTasks(assignment, run, options);
  return {
    file: run.file,
    pupil: run.document.pupil,
    status: 'graded',
    code: run.code,
    points: tasks.reduce((sum, { points }) => sum + points, 0),
    most: mostOf(assignment),
    open: tasks.reduce((sum, { passed, most }) => sum + (passed === null ? most : 0), 0),
    tasks,
    checked: replayed,
    changes: changesOf(assignment.experiment, run.experiment),
    curve: curveOf(run),
    runs: run.document.log.length,
    answers: run.document.answers,
  };
}

/** Result of a file that is not graded. */
export const refusedFile = (
  assignment: Assignment,
  { file, pupil = '' }: { file: string; pupil?: string },
  { reason, message }: RefusedError,
): Result => ({ file, pupil, status: 'refused', reason, message, most: mostOf(assignment) });

/** Grades a file's bytes. A file that is not graded comes back with the reason. */
export async function grade(
  assignment: Assignment,
  { file, bytes }: { file: string; bytes: Uint8Array },
  options: GradeOptions,
): Promise<Result> {
  let pupil = '';
  try {
    const run = openHandIn(bytes, file, assignment);
    pupil = run.document.pupil;
    return await graded(assignment, run, options);
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    return refusedFile(assignment, { file, pupil }, error);
  }
}
