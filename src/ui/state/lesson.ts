/**
 * Contract of a lesson: a live experiment, tasks that the page recognises as done, and two questions. A lesson is one
 * file in `lessons/`, with its texts in it, and a line in `lessons/registry.ts`.
 */
import type { Experiment } from '../../experiment/experiment.ts';
import type { Trajectory } from '../../rl/episode/trajectory.ts';
import { isActive, type StepRecord } from '../../session/protocol.ts';
import { type Place, placeOf } from './place.ts';
import type { Selection } from './selection.ts';
import { metricNames } from './series.ts';
import type { LearnTab, NarrowPanel, State } from './state.ts';

/** Place on the page where a part is done. */
export interface PartPlace {
  panel: NarrowPanel;
  tab?: Selection['tab'];
  learn?: LearnTab;
}

/** Actions of the page that a lesson may offer as a button. */
interface HelpTarget {
  readonly store: { readonly state: State };
  readonly navigation: { select(patch: Partial<Selection>): void };
  draft: { edit(path: string, value: unknown): void };
  library: { openShipped(path: string, name: string): Promise<void> };
  layout: { openModelPicker(): void; showPanel(panel: NarrowPanel): void };
  open(run: string): Promise<unknown>;
}

/** Question of a task. The answer ends the task and is not changed afterwards. */
export interface Ask {
  text(): string;
  choices: readonly { text(): string }[];
  /** True once the page shows what is asked about; absent: always. */
  ready?(seen: LessonContext): boolean;
  /** Choice that the reader's own numbers bear out, once they are known; null before. Absent: the answer is no prediction. */
  outcome?(seen: LessonContext): number | null;
  /** The reader's own numbers beside the answer, once they are known; empty before. */
  result?(seen: LessonContext): string;
}

/** One task of a lesson. */
export interface Part {
  id: string;
  title(): string;
  /** Instructions with the reason, one paragraph each. */
  text(): readonly string[];
  where?: PartPlace;
  /** Button that does the task's first action for the reader. */
  help?: { label(): string; act(app: HelpTarget): void | Promise<void> };
  /**
   * Another experiment, put into the setup when this part begins; or a function of a LessonContext that returns it, if
   * it depends on the page, such as on the language model that is here.
   */
  experiment?: unknown;
  ask?: Ask;
  /** True if the state of the page shows that the part is done. A part stays done. */
  done(seen: LessonContext): boolean;
  /** Live numbers that show the progress; empty if there are none. */
  far?(seen: LessonContext): string;
}

interface Choice {
  text(): string;
  right?: boolean;
  /** Reason that the choice is right or wrong. */
  feedback(): string;
}

export interface Question {
  id: string;
  text(): string;
  choices: readonly Choice[];
}

export interface Lesson {
  id: string;
  title(): string;
  /** Learning goal, in a sentence. */
  aim(): string;
  minutes: number;
  /** Short id of the language model that it trains; absent: none. */
  model?: string;
  /** Experiment in the setup when the lesson begins; absent if nothing is trained. */
  experiment?: unknown;
  /** Place where the lesson begins. */
  start: PartPlace;
  parts: readonly Part[];
  questions: readonly [Question, Question];
  /** Claims of the texts about the lesson's runs. `npm run test:lessons` trains them and checks every claim. */
  claims: readonly Claim[];
}

/** Numbers of a lesson's run. */
export interface Curve {
  /** Experiment of the lesson; a string: a recorded run of `public/`. */
  run: unknown;
  /** Variant of the experiment's sweep. */
  variant?: string;
  /** Changes of the experiment, path to value. */
  changes?: { readonly [path: string]: unknown };
  /** A metric, or a path in an evaluation (`test.policy.rate`). */
  of: string;
  /** Metric that is subtracted at each step. */
  minus?: string;
  /** First and last step; negative: counted from the run's last step, which is -1. */
  steps: readonly [number, number];
}

/** A statement about numbers: the mean of `high` is at least that of `low` plus `by`. */
export interface Claim {
  text: string;
  high: Curve | number;
  low: Curve | number;
  by?: number;
}

/** Input of a lesson's conditions. */
export interface LessonContext {
  state: State;
  /** Trained steps of the run in focus. */
  trained: readonly StepRecord[];
  place: Place;
}

export const lessonContext = (state: State): LessonContext => ({
  state,
  trained: state.run ? state.records.filter(({ step }) => step > 0) : [],
  place: placeOf(state),
});

/** Mean of a metric over the last steps; null if there are none. */
export function meanOf(records: readonly StepRecord[], metric: string, last = records.length): number | null {
  const values = records
    .slice(-last)
    .flatMap(({ metrics }) => (Number.isFinite(metrics[metric]) ? [metrics[metric]] : []));
  return values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : null;
}

/** Index of the largest value; the first of equal ones. */
export const indexOfLargest = (values: readonly number[]): number => values.indexOf(Math.max(...values));

/** Success rate minus chance over the last steps; null if there are too few. */
export function overChance(trained: readonly StepRecord[], last = 8): number | null {
  if (trained.length < last) return null;
  const [success, chance] = [meanOf(trained, metricNames.success, last), meanOf(trained, metricNames.chance, last)];
  return success === null || chance === null ? null : success - chance;
}

/** Newest evaluation after training began. */
export const evaluated = (trained: readonly StepRecord[]) =>
  trained.findLast(({ evaluation }) => evaluation)?.evaluation ?? null;

/** True if the policy played an episode to its end without training. */
export const hasWatchedEpisode = ({ state }: LessonContext): boolean =>
  state.run !== null && state.recorded === null && !isActive(state.status) && state.live.at(-1)?.done === true;

/** Trajectory that is open in the Trajectory tab, or null. */
export const openTrajectory = ({ state, place }: LessonContext): Trajectory | null =>
  state.selection.tab === 'trajectory' ? place.trajectory : null;

export const isPolicyToken = ({ place }: LessonContext): boolean => place.facts?.source === 'policy';

/** True if the run in focus is of an experiment with this name. */
export const isRunOf = ({ state }: LessonContext, experiment: unknown): boolean =>
  state.run?.experiment.name === (experiment as Experiment).name;

/** Condition of a part with a question: it was answered. */
export const answered =
  (lesson: string, part: string) =>
  ({ state }: LessonContext): boolean =>
    state.progressOfLessons[lesson]?.answers[part] !== undefined;
