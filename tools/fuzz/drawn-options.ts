/** Random options of a world, drawn from the schema of its options. */

import type { Json, WorldOptions } from '../../src/envs/env.ts';
import type { WorldModule } from '../../src/envs/module.ts';
import { OptionsError } from '../../src/envs/options.ts';
import type { Random } from '../../src/envs/random.ts';
import { type Field, fieldsOf } from '../../src/fields/reader.ts';

/** Share of the options that are set, in percent; the others have their defaults. */
const setShare = 30;
const tries = 20;

/** A whole number from a quarter of the default to twice it, within the bounds: larger worlds only take longer. */
function drawWhole({ min = 0, max = min + 4, fallback, multipleOf = 1 }: Field, random: Random): number {
  const usual = typeof fallback === 'number' ? fallback : min;
  const low = Math.max(min, Math.floor(usual / 4));
  const drawn = random.between(low, Math.max(low, Math.min(max, 2 * usual + 2)));
  return Math.max(min, drawn - (drawn % multipleOf));
}

/** A legal value of a field, or undefined for a text that no schema bounds. */
function drawValue(field: Field, random: Random): Json | undefined {
  const { kind, min = 0, max = 1, choices = [], fallback } = field;
  if (kind === 'boolean') return random.chance(50);
  if (kind === 'choice') return random.pick(choices);
  if (kind === 'integer') return drawWhole(field, random);
  if (kind === 'real') return random.pick([min, max, (min + max) / 2, (fallback as number | undefined) ?? min]);
  if (kind === 'integers') return [random.between(min, Math.min(max, min + 4))];
  if (kind === 'choices' && choices.length) return choices.filter(() => random.chance(50));
  return undefined;
}

function draw(module: WorldModule, random: Random): WorldOptions {
  const options: WorldOptions = {};
  for (const field of fieldsOf(module.options.schema)) {
    const value = random.chance(setShare) ? drawValue(field, random) : undefined;
    if (value !== undefined) options[field.path] = value;
  }
  return options;
}

/** Options that the world accepts and that need no server. `code`: code of a typed world. */
export function drawOptions(module: WorldModule, random: Random, code: WorldOptions = {}): WorldOptions {
  for (let k = 0; k < tries; k++) {
    const options = { ...draw(module, random), ...code };
    try {
      module.options(options);
      if (!module.connection.asksServer?.(options)) return options;
    } catch (error) {
      // Fields that exclude each other.
      if (!(error instanceof OptionsError)) throw error;
    }
  }
  return code;
}
