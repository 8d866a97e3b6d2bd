/**
 * Interface of a reward's part: schema with labels, and its values for a step's episodes. A module in `parts/` holds
 * everything particular to one kind; `registry.ts` lists them.
 */
import * as v from 'valibot';
import { option, real } from '../../fields/fields.ts';
import type { CodeRunner } from '../common/code-runner.ts';
import type { Trajectory } from '../episode/trajectory.ts';
import type { CountedJudge } from './counted-judge.ts';

/** Settings that every part has. */
export interface PartSettings {
  kind: string;
  name: string | null;
  weight: number;
}

/** Services for parts that do more than read the trajectory. */
export interface PartServices {
  /** Absent: this program cannot run code. */
  runner?: CodeRunner;
  /** Absent: this program cannot reach a judge. */
  judge?: CountedJudge;
  signal?: AbortSignal;
}

export interface RewardPart<S extends PartSettings = PartSettings> {
  kind: string;
  label: string;
  /** One-sentence explanation. */
  sentence: string;
  schema: v.GenericSchema<unknown, S>;
  /** Fields without a default, for a new part. */
  start?: { readonly [field: string]: unknown };
  /** (B) values of the episodes, before the weight; NaN: the episode has none and is left out of training. */
  // A method rather than a function field, so that a module with narrower settings is a RewardPart.
  values(
    trajectories: readonly Trajectory[],
    settings: S,
    services: PartServices,
  ): readonly number[] | Promise<readonly number[]>;
  /** True if the part needs a judge. */
  asksJudge?: true;
  /** Code of the person's own in the settings, by its field. */
  code?(settings: S): { field: string; code: string } | null;
}

const columnName = v.pipe(
  v.string('must be a text'),
  v.regex(/^[\p{L}\p{N}][\p{L}\p{N} _-]{0,23}$/u, 'must have 1 to 24 letters, digits, spaces, - or _'),
);

/** Fields of every part. `weight`: its default. */
export const partFields = (weight = 1) => ({
  name: option(v.nullable(columnName), null, {
    label: 'Column',
    sentence: 'Name of the part in tables and curves.',
    kind: 'text',
    nullMeans: 'its kind',
  }),
  weight: option(real(-1000, 1000), weight, {
    label: 'Weight',
    sentence: 'Factor of the part in the reward; below 0 it is a penalty.',
    step: 0.1,
    level: 'basic',
  }),
});

/** Name of a part's column. */
export const columnOf = ({ kind, name }: Pick<PartSettings, 'kind' | 'name'>): string => name ?? kind;
