/**
 * Prints an OpenEnv observation as text (one of its fields, the messages of a conversation, the result of a tool, or all
 * of it as JSON), and finds the valid actions if it lists them.
 */

/** Fields that hold the whole text in known servers, in order of preference. */
const wholeFields = ['text', 'observation', 'obs', 'content', 'echoed_message'];
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

const isEmpty = (value: unknown): boolean =>
  value == null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0);

/** Texts of a list of objects, such as messages, joined by line feeds; null: it is another value, or has none. */
function joinedTexts(list: unknown, field: string): string | null {
  if (!Array.isArray(list) || !list.length) return null;
  const texts = list.map((each) => (each as Observation | null)?.[field]);
  return texts.every((text) => typeof text === 'string') ? texts.join('\n') : null;
}

/** Result of a tool of an MCP environment, or its error; null: another observation. */
function toolText({ tool_name, result, error }: Observation): string | null {
  if (typeof tool_name !== 'string') return null;
  if (!isEmpty(error)) return `Error: ${asText((error as Observation).message ?? error)}`;
  return joinedTexts((result as Observation | null)?.content, 'text') ?? asText(result ?? '');
}

/**
 * Text of an observation. `field` selects a field; if empty, a known text field is used, the messages or the result of
 * a tool, else the only field if it is a text, else all fields as JSON.
 */
export function observationText(observation: Observation, field: string): string {
  if (field) {
    const value = at(observation, field);
    return value === undefined || value === null ? '' : asText(value);
  }
  const whole = wholeFields.find((name) => typeof observation[name] === 'string' && observation[name] !== '');
  if (whole) return observation[whole] as string;
  const special = toolText(observation) ?? joinedTexts(observation.messages, 'content');
  if (special !== null) return special;
  const all = Object.entries(observation).filter(([name]) => !commonFields.has(name));
  const own = all.filter(([name, value]) => !actionLists.includes(name) && !isEmpty(value));
  if (own.length === 1 && typeof own[0][1] === 'string') return own[0][1];
  return all.length ? asText(Object.fromEntries(all)) : '';
}

/** The valid actions, if the observation lists them as texts or as numbers. */
export function listedActions(observation: Observation): string[] | undefined {
  const found = actionLists.map((name) => observation[name]).find((value) => Array.isArray(value)) as
    | unknown[]
    | undefined;
  const isAction = (each: unknown) => typeof each === 'string' || typeof each === 'number';
  return found?.length && found.every(isAction) ? found.map(String) : undefined;
}
