/** What a knob is, and how one is written down: the registry's parts (`knobs-world.ts`, `knobs.ts`) share it. */

export type KnobKind =
  | 'integer'
  | 'real'
  | 'boolean'
  | 'choice'
  | 'turns'
  | 'integers'
  | 'choices'
  | 'text'
  | 'code'
  /** A short list of numbers. */
  | 'numbers';

/** What changing a knob of a run that has begun needs: nothing, a fork at the last step, or a new run from step 0. */
export type KnobChange = 'free' | 'fork' | 'restart';

export type KnobSection =
  | 'run'
  | 'sweep'
  | 'world'
  | 'policy'
  | 'stages'
  | 'algorithm'
  | 'horizon'
  | 'sampling'
  | 'optimizer'
  | 'evaluation';

export interface Knob {
  path: string;
  /** Where several knobs have one path (options of different worlds): which of them. Absent: the path. */
  id?: string;
  label: string;
  /** One sentence: what it is and what turning it up does. */
  sentence: string;
  /** Empty where it is a bare number. */
  unit: string;
  kind: KnobKind;
  min?: number;
  max?: number;
  /** A useful step of a spinner; the schema may allow finer values. */
  step?: number;
  /** Values must be multiples of this. */
  multipleOf?: number;
  choices?: readonly string[];
  /** Words for choices that are identifiers. */
  choiceLabels?: { readonly [choice: string]: string };
  /** Where choices are many: what a choice stands under. */
  choiceGroups?: { readonly [choice: string]: string };
  /** May be null: what null means, in a few words. */
  nullMeans?: string;
  /** What a world takes where its option is left out. */
  unset?: unknown;
  level: 'basic' | 'advanced';
  change: KnobChange;
  section: KnobSection;
  /** It names a file, which is chosen and not typed. */
  file?: boolean;
  /** An option of these worlds only. */
  worlds?: readonly string[];
  /** A field of these kinds of policy only. */
  policies?: readonly string[];
  /** A field of these algorithms only. */
  algorithms?: readonly string[];
}

export type Extra = Partial<Knob>;

export const knob = (
  path: string,
  label: string,
  sentence: string,
  kind: KnobKind,
  level: Knob['level'],
  change: KnobChange,
  extra: Extra = {},
): Knob => ({ path, label, sentence, unit: '', kind, level, change, section: sectionOf(path), ...extra });

const sections: { [head: string]: KnobSection } = {
  sweep: 'sweep',
  policy: 'policy',
  worlds: 'world',
  stages: 'stages',
  algorithm: 'algorithm',
  horizon: 'horizon',
  sampling: 'sampling',
  optimizer: 'optimizer',
  evaluation: 'evaluation',
};

const sectionOf = (path: string): KnobSection => sections[path.split('.')[0]] ?? 'run';

export const range = (min: number, max: number, step?: number): Extra => (step ? { min, max, step } : { min, max });
