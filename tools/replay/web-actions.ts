/** Replays recorded action strings, replies of language models, and the runner's rules on lists of actions. */
import {
  type Action,
  ActionError,
  describeAction,
  earlyStop,
  isEquivalent,
  parseAction,
} from '../../src/webarena/actions.ts';
import { type Addresses, actionOfReply, extractAction, type PromptKind } from '../../src/webarena/replies.ts';
import type { Outcome, Recorded } from './web-records.ts';

const actionNames: { [kind in Action['kind']]: string } = {
  none: 'NONE',
  scroll: 'SCROLL',
  press: 'KEY_PRESS',
  click: 'CLICK',
  type: 'TYPE',
  hover: 'HOVER',
  tab_focus: 'PAGE_FOCUS',
  new_tab: 'NEW_TAB',
  go_back: 'GO_BACK',
  go_forward: 'GO_FORWARD',
  goto: 'GOTO_URL',
  close_tab: 'PAGE_CLOSE',
  stop: 'STOP',
};

/**
 * The meaningful fields of the original's record. Its character set has 15 keys before the space, and the newline last.
 */
function fields(action: Action) {
  const typed = action.kind === 'type' ? [...action.text] : [];
  return {
    action_name: actionNames[action.kind],
    element_id: 'element' in action ? action.element : '',
    text: typed.map((character) => {
      const code = character.codePointAt(0)!;
      if (code === 10) return 982;
      return code < 128 ? code - 17 : code - 18;
    }),
    page_number: action.kind === 'tab_focus' ? Number(action.page) : 0,
    url: action.kind === 'goto' ? action.url : '',
    key_comb: action.kind === 'press' ? action.keys : '',
    direction: action.kind === 'scroll' ? action.direction : '',
    answer: action.kind === 'stop' ? action.answer : '',
    text_str: typed.join(''),
  };
}

function attempt<T>(work: () => T): T | ActionError {
  try {
    return work();
  } catch (error) {
    if (error instanceof ActionError) return error;
    throw error;
  }
}

const errorOf = (error: ActionError) => ({ ok: false, error_type: error.type, error: error.message });

function pick(expected: Recorded, like: object): object {
  return Object.fromEntries(Object.keys(like).map((key) => [key, expected[key]]));
}

function compareParsed(expected: Recorded, found: Action | ActionError): Outcome['pairs'] {
  if (!expected.ok || found instanceof ActionError)
    return [['error', expected, found instanceof ActionError ? errorOf(found) : found]];
  const own = fields(found);
  const { node_text, missing, found: described, text } = expected.history;
  const line = (element: string) => ('element' in found && element === found.element ? node_text : undefined);
  return [
    ['action', pick(expected.action, own), own],
    ['history', described ?? text, describeAction(found, line, '')],
    ['history of a missing element', missing ?? text, describeAction(found, () => undefined, '')],
  ];
}

export function replayAction(record: Recorded): Outcome {
  const found = attempt(() => parseAction(record.input));
  return { where: `action ${JSON.stringify(record.input)}`, pairs: compareParsed(record.expected, found) };
}

function compareExtraction(
  expected: Recorded,
  reply: string,
  kind: PromptKind,
  addresses: Addresses,
): Outcome['pairs'] {
  const raw = attempt(() => extractAction(reply, kind));
  const mapped = attempt(() => extractAction(reply, kind, addresses));
  const found =
    raw instanceof ActionError || mapped instanceof ActionError
      ? errorOf(raw as ActionError)
      : { ok: true, raw, extracted: mapped };
  return [[`extraction (${kind})`, expected, found]];
}

export function replayReply({ input, expected }: Recorded, header: Recorded): Outcome {
  const addresses = Object.entries(header.urls) as [string, string][];
  const pairs = [
    ...compareExtraction(expected.cot, input, 'cot', addresses),
    ...compareExtraction(expected.direct, input, 'direct', addresses),
  ];
  if (expected.action)
    pairs.push(
      ...compareParsed(
        expected.action,
        attempt(() => parseAction(extractAction(input, 'cot', addresses))),
      ),
    );
  const agent = attempt(() => actionOfReply(input, addresses));
  if (agent instanceof ActionError) pairs.push(['agent', expected.agent, { raises: agent.type, error: agent.message }]);
  else {
    const own = fields(agent);
    pairs.push(['agent', expected.agent.action && pick(expected.agent.action, own), own]);
    if (expected.agent.history)
      pairs.push(['history', expected.agent.history, describeAction(agent, () => undefined, input)]);
  }
  return { where: `reply ${JSON.stringify(input).slice(0, 120)}`, pairs };
}

const actionOf = (text: string): Action => (text === '@none' ? { kind: 'none' } : parseAction(text));

export function replayEquivalent({ input, expected }: Recorded): Outcome {
  const one = actionOf(input);
  const found = Object.fromEntries(Object.keys(expected).map((other) => [other, isEquivalent(one, actionOf(other))]));
  return { where: `equivalent ${input}`, pairs: [['equivalent', expected, found]] };
}

export function replayEarlyStop({ input, expected, n }: Recorded): Outcome {
  const { actions, max_steps, thresholds } = input;
  const reason = earlyStop(actions.map(actionOf), max_steps, {
    parsingFailure: thresholds.parsing_failure,
    repeatingAction: thresholds.repeating_action,
  });
  return { where: `early stop ${n}`, pairs: [['stop', expected, { stop: reason !== null, reason: reason ?? '' }]] };
}
