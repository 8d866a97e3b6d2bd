/** Choice among named parts of a world, such as templates and themes, of which some are for evaluations alone. */
import { WorldError } from './env.ts';

interface Named {
  name: string;
  /** True if only evaluations use it. */
  heldOut?: boolean;
}

export interface NamedChoice {
  /** Names that an experiment chooses; none: all. */
  names: readonly string[];
  /** True if held-out parts may be chosen. */
  withHeldOut: boolean;
  /** Title of the world and kind of the parts, in errors. */
  world: string;
  what: string;
}

/** Parts with the chosen names, in the order of `all`. Throws WorldError for an unknown name, or if nothing is left. */
export function chooseNamed<T extends Named>(all: readonly T[], { names, withHeldOut, world, what }: NamedChoice): T[] {
  const unknown = names.find((name) => !all.some((each) => each.name === name));
  if (unknown !== undefined)
    throw new WorldError(
      `${world} has no ${what} "${unknown}". Choose among: ${all.map(({ name }) => name).join(', ')}.`,
    );
  const found = all.filter(({ name, heldOut }) => (!names.length || names.includes(name)) && (!heldOut || withHeldOut));
  if (!found.length)
    throw new WorldError(`The ${what}s ${names.join(', ')} of ${world} are for evaluations alone: choose others too.`);
  return found;
}
