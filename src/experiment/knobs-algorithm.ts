/**
 * Knobs of the algorithms, read from their schemas: label, sentence and bounds are defined only in `rl/algorithms/`.
 */
import { fieldsOfVariants } from '../fields/reader.ts';
import { algorithms } from '../rl/algorithms/registry.ts';
import { type Knob, knob, knobOf } from './knob.ts';

/** A field that several algorithms share appears once; a test checks that its bounds are the same in all of them. */
function algorithmFields(): Knob[] {
  const all = fieldsOfVariants(algorithms, 'algorithm').map(({ field, names }) =>
    knobOf(field, names.length < algorithms.length ? { algorithms: names } : {}),
  );
  // A program comes last, after the settings that it reads.
  return [...all.filter(({ kind }) => kind !== 'code'), ...all.filter(({ kind }) => kind === 'code')];
}

export const algorithmKnobs: Knob[] = [
  knob(
    'algorithm.name',
    'Algorithm',
    'Algorithm that turns the returns of a step into an update; its settings are below.',
    'choice',
    'basic',
    'fork',
    {
      choices: algorithms.map(({ name }) => name),
      choiceLabels: Object.fromEntries(algorithms.map(({ name, label }) => [name, label])),
    },
  ),
  ...algorithmFields(),
];
