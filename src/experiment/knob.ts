/** Knobs: the fields of an experiment as the page, the docs and `--help` show them. */
import type { Field, FieldKind } from '../fields/reader.ts';

export type KnobSection =
  | 'run'
  | 'sweep'
  | 'world'
  | 'policy'
  | 'stages'
  | 'reward'
  | 'goals'
  | 'algorithm'
  | 'horizon'
  | 'sampling'
  | 'optimizer'
  | 'evaluation';

export interface Knob extends Field {
  /**
   * Identifies a knob that shares its path with others (options of different worlds). Absent: the path identifies it.
   */
  id?: string;
  section: KnobSection;
  /** Headings that long lists of choices are grouped under. */
  choiceGroups?: { readonly [choice: string]: string };
  /** Worlds that have this option. */
  worlds?: readonly string[];
  /** Kinds of policy that have this field, if not all. */
  policies?: readonly string[];
  /** Algorithms that have this field, if not all. */
  algorithms?: readonly string[];
  /** Kinds of parts of a reward that have this field, if not all. */
  rewards?: readonly string[];
  /** Rules for goals that have this field, if not all. */
  rules?: readonly string[];
}

export type Extra = Partial<Knob>;

/** A knob that no schema describes. */
export const knob = (
  path: string,
  label: string,
  sentence: string,
  kind: FieldKind,
  level: Knob['level'],
  change: Knob['change'],
  extra: Extra = {},
): Knob => ({ path, label, sentence, unit: '', kind, level, change, section: sectionOf(path), ...extra });

/** The knob of a field. */
export const knobOf = (field: Field, extra: Extra = {}): Knob => ({
  ...field,
  section: sectionOf(field.path),
  ...extra,
});

const sections: { [head: string]: KnobSection } = {
  sweep: 'sweep',
  policy: 'policy',
  worlds: 'world',
  stages: 'stages',
  reward: 'reward',
  goals: 'goals',
  algorithm: 'algorithm',
  horizon: 'horizon',
  sampling: 'sampling',
  optimizer: 'optimizer',
  evaluation: 'evaluation',
};

const sectionOf = (path: string): KnobSection => sections[path.split('.')[0]] ?? 'run';
