/**
 * Parses the prompt of AgentGym's WebArena server: its actionable elements, the valid actions, and a short form of the
 * tree, the same as the world Web's for tiny policies (`worlds/web/terse-text.ts`). Elements are judged only by their
 * roles, since the text contains nothing else.
 */
import { strip } from '../../../python/text.ts';
import type { Opening } from '../kind.ts';

export const verbs = ['click', 'hover', 'scroll', 'history', 'stop'] as const;
export type Verb = (typeof verbs)[number];

/** Roles of actionable elements (w3.org/TR/wai-aria-1.2, widget roles, without mere containers). */
const actable = new Set(
  'link button textbox searchbox checkbox radio combobox listbox option menuitem menuitemcheckbox menuitemradio tab switch slider spinbutton treeitem DisclosureTriangle'.split(
    ' ',
  ),
);

interface Line {
  /** Null if the element is not actionable. */
  id: string | null;
  role: string;
  name: string;
  properties: string;
}

const line = /^\t*\[(\d+)\] (\S+) ('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")(.*)$/;
const escapes: { [letter: string]: string } = { n: '\n', t: '\t', r: '\r' };

/** Value of a Python string literal. */
const unquoted = (literal: string): string =>
  literal
    .slice(1, -1)
    .replace(/\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8})|(.))/gs, (_, x, u, long, letter) =>
      letter === undefined ? String.fromCodePoint(Number.parseInt(x ?? u ?? long, 16)) : (escapes[letter] ?? letter),
    );

/** True for properties that are kept: those that are not empty and not `false`. */
const isKept = (property: string) => property !== '' && !/: false$/i.test(property);

function lineOf(text: string): Line[] {
  const [, id, role, literal, rest] = line.exec(text) ?? [];
  if (id === undefined) return [];
  const name = strip(unquoted(literal));
  const properties = rest.split(/ (?=\w+: )/).map((each) => each.trim());
  const can = actable.has(role) && !properties.some((each) => /^disabled: true$/i.test(each));
  if (!name && !can) return [];
  return [{ id: can ? id : null, role, name, properties: can ? properties.filter(isKept).join(' ') : '' }];
}

function printLine({ id, role, name, properties }: Line): string {
  if (id === null) return `- ${name}`;
  return [id, role === 'link' && name ? '' : role, name, properties].filter(Boolean).join(' ');
}

/** True for texts that can be an answer. Brackets and line ends would end it early. */
const isAnswer = (text: string) => text.length > 0 && text.length <= 120 && !/[[\]\n]/.test(text);

const offers: { [verb in Verb]: (ids: readonly string[], names: readonly string[]) => string[] } = {
  click: (ids) => ids.map((id) => `click [${id}]`),
  hover: (ids) => ids.map((id) => `hover [${id}]`),
  scroll: () => ['scroll [down]', 'scroll [up]'],
  history: () => ['go_back', 'go_forward'],
  stop: (_, names) => ['stop []', 'stop [N/A]', ...names.filter(isAnswer).map((name) => `stop [${name}]`)],
};

const prompt = /^OBSERVATION:\n(.*)\nURL: [^\n]*\nOBJECTIVE: (.*)\nPREVIOUS ACTION: .*$/s;

/**
 * Observation and valid actions of a prompt, limited to the wanted verbs. A text that is not a prompt, such as an
 * error, becomes the observation unchanged, without new valid actions.
 */
export function readPrompt(text: string, terse: boolean, wanted: readonly Verb[]): Opening {
  const [, seen, objective] = prompt.exec(text) ?? [];
  if (seen === undefined) return { observation: text };
  const start = seen.indexOf('\n\n');
  const lines = seen
    .slice(start + 2)
    .split('\n')
    .flatMap(lineOf);
  const ids = lines.flatMap(({ id }) => (id === null ? [] : [id]));
  const names = lines.map(({ name }) => name);
  const validActions = [...new Set(wanted.flatMap((verb) => offers[verb](ids, names)))];
  if (!terse) return { observation: text, validActions };
  const tabs = seen.slice(0, Math.max(0, start));
  const several = tabs.includes(' | Tab ') ? [tabs] : [];
  const shown = lines.filter(({ id, name }, k) => id !== null || name !== lines[k + 1]?.name).map(printLine);
  return { observation: [objective, ...several, ...shown].join('\n'), validActions };
}
