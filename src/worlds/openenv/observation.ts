/** An OpenEnv observation as text: one of its fields, or all of it as JSON; and the valid actions, where it lists them. */

/** Fields that hold what is to be read, in the servers that are known; asked in this order where several are texts. */
const spoken = ['text', 'observation', 'message', 'prompt', 'obs', 'content', 'result', 'output', 'echoed_message'];
/** Carried by every observation of the reference. */
const carried = new Set(['reward', 'done', 'metadata']);
const lists = ['valid_actions', 'available_actions', 'legal_actions'];

export type Observation = { [field: string]: unknown };

function at(observation: Observation, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, key) => (value as { [key: string]: unknown } | null | undefined)?.[key], observation);
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value, null, 1));

/** `field`: which one is read; empty: the one that is a text, else the first of those known, else everything. */
export function observationText(observation: Observation, field: string): string {
  if (field) {
    const value = at(observation, field);
    return value === undefined || value === null ? '' : asText(value);
  }
  const own = Object.entries(observation).filter(([name]) => !carried.has(name) && !lists.includes(name));
  const texts = own.filter(([, value]) => typeof value === 'string' && value !== '');
  const known = spoken.find((name) => texts.some(([each]) => each === name));
  if (known) return observation[known] as string;
  if (texts.length === 1 && own.every(([, value]) => typeof value !== 'object')) return texts[0][1] as string;
  return asText(Object.fromEntries(own));
}

export function listedActions(observation: Observation): string[] | undefined {
  const found = lists.map((name) => observation[name]).find((value) => Array.isArray(value)) as unknown[] | undefined;
  return found?.length && found.every((each) => typeof each === 'string') ? (found as string[]) : undefined;
}
