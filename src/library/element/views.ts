/** The views of the element, drawn from its state without markup in texts. */
import type { WorldView } from '../../envs/env.ts';
import type { Trajectory } from '../../rl/episode/trajectory.ts';
import type { StepRecord } from '../../rl/evaluation/evaluation.ts';
import type { SuiteReport } from '../../rl/evaluation/suite-report.ts';
import type { Texts } from './texts.ts';

/** A turn of the shown episode. */
export interface ShownTurn {
  action: string;
  observation: string;
  reward: number;
  /** State of the world after it, if it is known. */
  view?: WorldView | null;
}

/** A task that a person plays. */
export interface ShownPlay {
  turns: readonly ShownTurn[];
  observation: string;
  view: WorldView | null;
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

const empty = (texts: Texts, text = texts.nothing) => make('p', 'state', text);

const turnOf = ({ action, observation, reward }: ShownTurn) =>
  make('div', reward > 0 ? 'turn good' : 'turn', make('b', '', `> ${action}`), `\n${observation}`);

/** An episode as it is played, the newest turn first; before its first turn the sentence `before`. */
export function watchView(turns: readonly ShownTurn[], texts: Texts, before: string): HTMLElement {
  return turns.length ? make('div', '', ...turns.map(turnOf).reverse()) : empty(texts, before);
}

/** Moves a number by buttons: the steps that are kept, or the groups of one. */
export function stepper(
  label: string,
  shown: number,
  texts: Texts,
  move: (by: -1 | 1) => (() => void) | null,
): HTMLElement {
  const to = (by: -1 | 1, sign: string, name: string) => {
    const act = move(by);
    const element = button(sign, act ?? (() => {}), !act);
    element.setAttribute('aria-label', `${name}: ${label}`);
    return element;
  };
  const text = make('span', 'number', `${label} ${shown}`);
  return make('span', 'stepper', to(-1, '‹', texts.earlier), text, to(1, '›', texts.later));
}

export function groupView(members: readonly Trajectory[], texts: Texts, open: (member: number) => void): HTMLElement {
  if (!members.length) return empty(texts);
  const row = (cell: 'th' | 'td', ...values: (string | Node)[]) =>
    make('tr', '', ...values.map((value) => make(cell, '', value)));
  const rows = members.map(({ member, turns, score, advantage, success }) => {
    const link = button(`${texts.episode} ${member + 1}`, () => open(member));
    const values = [String(turns.length), `${score.toFixed(2)} ${success ? '✓' : '✕'}`, advantage.toFixed(2)];
    return row('td', link, ...values);
  });
  return make('table', '', row('th', texts.episode, texts.turns, texts.score, texts.advantage), ...rows);
}

/** Probability with which the policy chose a token, or that it did not choose it. */
function tokenLine(trajectory: Trajectory, token: number, texts: Texts): HTMLElement {
  const chosen = trajectory.source[token] === 1;
  const fact = chosen ? `${texts.probability} ${Math.exp(trajectory.logprob[token]).toFixed(3)}` : texts.ofWorld;
  return make('p', 'state', `${texts.token} ${token}: ${fact}`);
}

/** One episode from its first turn to its last. */
export function trajectoryView(
  trajectory: Trajectory | null,
  { turn, token }: { turn: number; token: number | null },
  texts: Texts,
): HTMLElement {
  if (!trajectory) return empty(texts);
  const { member, score, advantage, prompt, turns } = trajectory;
  const facts = `${texts.episode} ${member + 1} · ${texts.score} ${score.toFixed(2)} · ${texts.advantage} ${advantage.toFixed(2)}`;
  const shown = turns.map((each, index) => {
    const element = turnOf(each);
    if (index === turn) element.setAttribute('aria-current', 'true');
    return element;
  });
  const known = token !== null && token < trajectory.tokens.length ? [tokenLine(trajectory, token, texts)] : [];
  return make('div', '', make('p', 'state', facts), ...known, make('div', 'turn', prompt), ...shown);
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

const percent = (value: number) => `${(100 * value).toFixed(1)}%`;

/** Success on held-out tasks with its 95% interval, by the columns of the suite. */
export function evaluateView(
  report: SuiteReport | null,
  progress: string,
  texts: Texts,
  start: () => void,
): HTMLElement {
  const begin = button(texts.evaluate, start, progress !== '');
  const state = make('p', 'state', progress);
  if (!report) return make('div', '', begin, state);
  const cells = (cell: 'th' | 'td', ...values: string[]) => values.map((value) => make(cell, '', value));
  const rows = report.rows.map(({ label, items, success, chance }) => {
    const interval = `${percent(success.mean)} (${percent(success.low)} – ${percent(success.high)})`;
    return make('tr', '', ...cells('td', label, String(items), interval, percent(chance.mean)));
  });
  const head = make('tr', '', ...cells('th', '', texts.tasks, texts.success, texts.chance));
  return make('div', '', begin, state, make('table', '', head, ...rows));
}

/** Maximum number of actions that are offered as buttons. */
const mostChoices = 40;

export function playView(play: ShownPlay | null, texts: Texts, act: (action: string) => void): HTMLElement {
  if (!play) return empty(texts);
  const { turns, observation, done, choices } = play;
  const input = make('input');
  input.setAttribute('aria-label', texts.action);
  input.name = 'action';
  input.autocomplete = 'off';
  const form = make('form', 'choices', input, make('button', '', texts.take));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (input.value.trim()) act(input.value.trim());
  });
  const offered = choices.slice(0, mostChoices).map((choice) => button(choice, () => act(choice)));
  const past = make('div', '', ...turns.map(turnOf).reverse(), make('div', 'turn', observation));
  return make('div', '', ...(done ? [] : [form, make('div', 'choices', ...offered)]), past);
}
