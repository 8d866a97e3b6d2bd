/** A `.tabworld` file: a typed world of the library, with its name and options, as one JSON document. */
import * as v from 'valibot';
import type { WorldOptions } from '../envs/env.ts';
import { typedWorld } from '../worlds/registry.ts';

const format = 'tabgym-world-1';

/** A typed world under its name. */
export interface NamedWorld {
  name: string;
  options: WorldOptions;
}

/** A file that is not a typed world. */
class WorldFileError extends Error {
  override name = 'WorldFileError';
}

const schema = v.strictObject({
  format: v.literal(format),
  name: v.pipe(v.string(), v.minLength(1), v.maxLength(120)),
  options: v.record(v.string(), v.any()),
});

export const writeWorldFile = ({ name, options }: NamedWorld): string =>
  `${JSON.stringify({ format, name, options }, null, 2)}\n`;

/** Reads a file. Throws WorldFileError, with the reason, or the world's own refusal of an option. */
export function readWorldFile(text: string, file: string): NamedWorld {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new WorldFileError(`${file} is not a .tabworld file: ${(error as Error).message}`);
  }
  const read = v.safeParse(schema, value);
  if (!read.success)
    throw new WorldFileError(
      `${file} is not a .tabworld file of the form ${format}: ${v.getDotPath(read.issues[0]) ?? 'document'}: ${read.issues[0].message}`,
    );
  const options = typedWorld().options(read.output.options) as WorldOptions;
  return { name: read.output.name, options };
}
