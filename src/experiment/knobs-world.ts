/**
 * Knobs of the worlds' options, read from the schemas of their modules, the only place that defines texts and bounds.
 */
import type { WorldModule } from '../envs/module.ts';
import { fieldsOf } from '../fields/reader.ts';
import { worldModules } from '../worlds/registry.ts';
import { type Knob, knobOf } from './knob.ts';

const knobsOfWorld = ({ name, options }: WorldModule): Knob[] =>
  fieldsOf(options.schema).map((option) =>
    knobOf(
      { ...option, path: `worlds.*.options.${option.path}` },
      { id: `worlds.${name}.${option.path}`, worlds: [name] },
    ),
  );

export const optionKnobs: readonly Knob[] = worldModules.flatMap(knobsOfWorld);
