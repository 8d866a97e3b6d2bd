/**
 * Prints an OpenEnv observation as text (one of its fields, or all of it as JSON), and finds the valid actions if it
 * lists them.
 */

/** Fields that hold the observation's text in known servers, in order of preference. */
const textFields = ['text', 'observation', 'message', 'prompt', 'obs', 'content', 'result', 'output', 'echoed_message'];
/** Fields of every observation in the reference implementation, which are not part of its text. */
const commonFields = new Set(['reward', 'done', 'metadata']);
const actionLists = ['valid_actions', 'available_actions', 'legal_actions'];

export type Observation = { [field: string]: unknown };

function at(observation: Observation, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, key) => (value as { [key: string]: unknown } | null | undefined)?.[key], observation);
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value, null, 1));

/**
 * Text of an observation. `field` selects a field; if empty, a known text field is used, else the only text field if no
 * other field is an object, else all fields as JSON.
 */
export function observationText(observation: Observation, field: string): string {
  if (field) {
    const value = at(observation, field);
    return value === undefined || value === null ? '' : asText(value);
  }
  const own = Object.entries(observation).filter(([name]) => !commonFields.has(name) && !actionLists.includes(name));
  const texts = own.filter(([, value]) => typeof value === 'string' && value !== '');
  const known = textFields.find((name) => texts.some(([each]) => each === name));
  if (known) return observation[known] as string;
  if (texts.length === 1 && own.every(([, value]) => typeof value !== 'object')) return texts[0][1] as string;
  return asText(Object.fromEntries(own));
}

export function listedActions(observation: Observation): string[] | undefined {
  const found = actionLists.map((name) => observation[name]).find((value) => Array.isArray(value)) as
    | unknown[]
    | undefined;
  return found?.length && found.every((each) => typeof each === 'string') ? (found as string[]) : undefined;
}
