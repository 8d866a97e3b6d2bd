/** The views of the element, drawn from its state without markup in texts. */
import type { StepRecord } from '../../rl/evaluation/evaluation.ts';
import type { textsOf } from './texts.ts';

type Texts = ReturnType<typeof textsOf>;

/** A turn of the shown episode. */
export interface ShownTurn {
  action: string;
  observation: string;
  reward: number;
}

/** A trajectory of the shown group. */
export interface ShownMember {
  turns: number;
  score: number;
  advantage: number;
}

/** A task that a person plays. */
export interface ShownPlay {
  turns: readonly ShownTurn[];
  observation: string;
  done: boolean;
  choices: readonly string[];
}

export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  className = '',
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  if (className) element.className = className;
  element.append(...children);
  return element;
}

export function button(text: string, act: () => void, disabled = false): HTMLButtonElement {
  const element = make('button', '', text);
  element.type = 'button';
  element.disabled = disabled;
  element.addEventListener('click', act);
  return element;
}

const empty = (texts: Texts) => make('p', 'state', texts.nothing);

export function watchView(turns: readonly ShownTurn[], texts: Texts): HTMLElement {
  if (!turns.length) return empty(texts);
  const shown = turns.map(({ action, observation, reward }) =>
    make('div', reward > 0 ? 'turn good' : 'turn', make('b', '', `> ${action}`), `\n${observation}`),
  );
  return make('div', '', ...shown);
}

export function groupView(members: readonly ShownMember[], texts: Texts): HTMLElement {
  if (!members.length) return empty(texts);
  const row = (cell: 'th' | 'td', ...values: string[]) =>
    make('tr', '', ...values.map((value) => make(cell, '', value)));
  const rows = members.map(({ turns, score, advantage }, k) =>
    row('td', String(k + 1), String(turns), score.toFixed(2), advantage.toFixed(2)),
  );
  return make('table', '', row('th', texts.episode, texts.turns, texts.score, texts.advantage), ...rows);
}

const svgNamespace = 'http://www.w3.org/2000/svg';

function svg(name: string, attributes: { [name: string]: string | number }, ...children: Node[]): SVGElement {
  const element = document.createElementNS(svgNamespace, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  element.append(...children);
  return element;
}

const [width, height, margin] = [600, 180, 8];

/** Points of a metric as a polyline: steps from left to right, rates from 0 below to 1 above. */
function points(records: readonly StepRecord[], value: (record: StepRecord) => number | undefined): string {
  const last = Math.max(1, records.at(-1)!.step);
  return records
    .flatMap((record) => {
      const y = value(record);
      if (typeof y !== 'number' || !Number.isFinite(y)) return [];
      const x = margin + ((width - 2 * margin) * record.step) / last;
      return [`${x.toFixed(1)},${(height - margin - (height - 2 * margin) * y).toFixed(1)}`];
    })
    .join(' ');
}

export function curvesView(records: readonly StepRecord[], texts: Texts): Element {
  const trained = records.filter(({ step }) => step > 0);
  if (!trained.length) return empty(texts);
  const last = trained.at(-1)!.metrics.success ?? 0;
  const label = `${texts.success}: ${last.toFixed(2)}`;
  const chance = ({ metrics }: StepRecord) => metrics.chanceSuccess ?? metrics.chance;
  const axis = { class: 'axis', x1: margin, x2: width - margin, y1: height - margin, y2: height - margin };
  return svg(
    'svg',
    { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': label },
    svg('line', axis),
    svg('polyline', { class: 'chance', points: points(trained, chance) }),
    svg('polyline', { class: 'policy', points: points(trained, ({ metrics }) => metrics.success) }),
  );
}

/** Maximum number of actions that are offered as buttons. */
const mostChoices = 40;

export function playView(play: ShownPlay | null, texts: Texts, act: (action: string) => void): HTMLElement {
  if (!play) return empty(texts);
  const { turns, observation, done, choices } = play;
  const input = make('input');
  input.setAttribute('aria-label', texts.action);
  const form = make('form', 'choices', input, make('button', '', texts.take));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (input.value.trim()) act(input.value.trim());
  });
  const offered = choices.slice(0, mostChoices).map((choice) => button(choice, () => act(choice)));
  const past = turns.length ? watchView(turns, texts) : make('div', 'turn', observation);
  return make('div', '', past, ...(done ? [] : [make('div', 'choices', ...offered), form]));
}
