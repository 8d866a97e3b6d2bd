/** Texts for settings that differ from others': "Algorithm REINFORCE++, Learning rate 0.001". */
import type { Experiment } from './experiment.ts';
import type { Knob } from './knob.ts';
import { findKnob } from './knobs.ts';
import type { Difference } from './paths.ts';
import { differingSettings, variantsOf } from './sweep.ts';

/** Label of a knob in the reader's language. */
export type LabelOf = (knob: Knob) => string;

const plainLabel: LabelOf = ({ label }) => label;

function turnWords(value: unknown): string {
  if (typeof value === 'object' && value !== null && 'oraclePlus' in value)
    return `oracle + ${(value as { oraclePlus: number }).oraclePlus}`;
  return String(value);
}

/** A schedule as its limits: 1 → 2 → 4. */
const horizonWords = (stages: readonly { turns: unknown }[]) => stages.map(({ turns }) => turnWords(turns)).join(' → ');

const isHorizon = (value: unknown): value is readonly { turns: unknown }[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'object' && each !== null && 'turns' in each);

export function valueWords(value: unknown, knob: Knob | undefined): string {
  if (isHorizon(value)) return horizonWords(value);
  if (typeof value === 'string') return knob?.choiceLabels?.[value] ?? value;
  if (typeof value === 'object' && value !== null && 'name' in value) return String((value as { name: unknown }).name);
  return typeof value === 'object' ? (JSON.stringify(value) ?? '') : String(value);
}

function differenceWords(differences: readonly Difference[], labelOf: LabelOf = plainLabel): string {
  // Leaves out settings that this variant lacks; the labels of the other variants show their values.
  const there = differences.filter(({ to }) => to !== undefined);
  const each = there.map(({ path, to }) => {
    const knob = findKnob(path) ?? (path === 'horizon' ? findKnob('horizon.*.turns') : undefined);
    return `${knob ? labelOf(knob) : path} ${valueWords(to, knob)}`;
  });
  return each.join(', ');
}

/**
 * Labels of the variants of a sweep: name (or the name of the sweep) and the settings that differ from other variants.
 */
export function variantLabels(document: Experiment, labelOf: LabelOf = plainLabel): { name: string; apart: string }[] {
  const variants = variantsOf(document);
  const differing = differingSettings(variants, document);
  return variants.map(({ name }, i) => ({
    name: name || document.name,
    apart: differenceWords(differing[i], labelOf),
  }));
}
