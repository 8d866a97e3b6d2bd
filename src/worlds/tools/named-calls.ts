/**
 * Calls with the name before each id (`get_tasks Blue Garden 31`). A tiny policy copies the name from the goal, and the
 * id follows as it did in the list; with the id alone it would have to find the place of the name before it writes a word.
 */
import type { Json } from '../../envs/env.ts';
import type { Instance } from './family.ts';
import type { Call } from './tool.ts';

const changed = ({ name, arguments: given }: Call, change: (parameter: string, value: Json) => Json): Call => ({
  name,
  arguments: Object.fromEntries(Object.entries(given).map(([key, value]) => [key, change(key, value)])),
});

/** The call with the name before each id. */
export const withNames = (call: Call, instance: Instance): Call =>
  changed(call, (parameter, value) => {
    const name = instance.nameOf?.(parameter, value);
    return name === undefined ? value : `${name} ${value}`;
  });

/** The call with ids alone. An id with another thing's name is left as it is, and is refused like any unknown id. */
export const withoutNames = (call: Call, instance: Instance): Call =>
  changed(call, (parameter, value) => {
    const [, name, id] = /^(.+) (\S+)$/.exec(String(value)) ?? [];
    return id !== undefined && instance.nameOf?.(parameter, id) === name ? id : value;
  });
