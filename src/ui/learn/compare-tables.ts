/** Columns and tables of a comparison. */
import { msg, str } from '@lit/localize';
import { html, nothing } from 'lit';
import { findKnob, knobs } from '../../experiment/knobs.ts';
import { readPath } from '../../experiment/paths.ts';
import type { BatchNote } from '../../rl/algorithms/algorithm.ts';
import { cardsOf } from '../../rl/algorithms/registry.ts';
import { type Card, cardParts } from '../../rl/common/formula.ts';
import type { Absence, ComparedObjective } from '../../rl/compare-objectives.ts';
import { compact, fixed, percent } from '../kit/format.ts';
import type { ShareRow } from '../state/comparison.ts';
import { choiceLabel, knobLabel, lookUp } from '../state/labels.ts';
import { formulaOf } from './formula.ts';
import { formulaDifferences } from './formula-differences.ts';

type Change = (method: string, path: string, value: unknown) => void;
type Settings = { readonly [method: string]: { readonly [path: string]: unknown } };

/** Settings of play: all methods have the batch's. */
const played = /^(groups|groupSize|minibatches|innerEpochs|objectiveCode|endings(\..*)?|file)$/;
const editable: readonly string[] = ['real', 'integer', 'boolean', 'choice'];

const absenceText = (reason: Absence): string =>
  ({
    reference: msg('It needs reference weights, which are not at hand.'),
    collects: msg('It trains on trajectories that it collects itself.'),
    teacher: msg('It needs a teacher, which recorded steps have not.'),
    completions: msg('It scores each completion beside other tasks too, which recorded steps have not.'),
    nothing: msg('No episode of this batch is trained on.'),
  })[reason];

const noteText = (note: BatchNote): string =>
  ({
    successes: msg('Imitates the successes of this batch in place of demonstrations.'),
    signal: msg('Drops the groups of this batch without a signal; other tasks in their place are not played.'),
    'no-demonstrations': msg('Learns from this batch alone, without original demonstrations.'),
    pairs: msg('Forms its pairs within the groups of this batch.'),
    'fitted-critic': msg('Its critic is fitted on this batch: one value a turn, by least squares.'),
  })[note];

/** The cards of a method whose formulas make it what it is. */
const ownCards = (objective: ComparedObjective): readonly Card[] =>
  cardsOf(objective.settings)
    .filter(({ part }) => part === 'advantage' || part === 'objective')
    .sort((a, b) => cardParts.indexOf(a.part) - cardParts.indexOf(b.part));

function formulas(objective: ComparedObjective, base: ComparedObjective) {
  const others = ownCards(base);
  return ownCards(objective).map((card) => {
    const like = others.find(({ part }) => part === card.part);
    const marks = objective === base ? undefined : formulaDifferences(card.formula, like?.formula ?? null);
    const title = lookUp(card.title, { id: `card.${card.id}.title` });
    const differs = marks?.size ? msg(str`${title}, differs from ${base.label}`) : title;
    return html`<h5>${title}</h5><div class="formula" tabindex="0" role="group" aria-label=${differs}>${formulaOf(card.formula, title, { read: null, point: () => {}, ...(marks && { marks }) })}</div>`;
  });
}

function knobInput(objective: ComparedObjective, path: string, change: Change) {
  const knob = findKnob(`algorithm.${path}`);
  if (!knob) return nothing;
  const value = readPath(objective.settings, path);
  const label = knobLabel(knob);
  const { name } = objective;
  if (knob.kind === 'boolean')
    return html`<label class="choice"><input type="checkbox" .checked=${value === true} @change=${(event: Event) => change(name, path, (event.target as HTMLInputElement).checked)} /><span>${label}</span></label>`;
  if (knob.kind === 'choice')
    return html`<label class="knob"><span>${label}</span><select @change=${(event: Event) => change(name, path, (event.target as HTMLSelectElement).value)}>${(knob.choices ?? []).map((each) => html`<option value=${each} ?selected=${each === value}>${choiceLabel(knob, each)}</option>`)}</select></label>`;
  const typed = (event: Event) => {
    const input = event.target as HTMLInputElement;
    const text = input.value.trim();
    const number = Number(text);
    const isEmpty = text === '' && knob.nullMeans !== undefined;
    const within = Number.isFinite(number) && number >= (knob.min ?? -Infinity) && number <= (knob.max ?? Infinity);
    const valid = isEmpty || (text !== '' && within);
    input.setAttribute('aria-invalid', valid ? 'false' : 'true');
    if (valid) change(name, path, isEmpty ? null : number);
  };
  return html`<label class="knob"><span>${label}</span><input class="number" type="number" min=${knob.min ?? nothing} max=${knob.max ?? nothing} step="any" placeholder=${knob.nullMeans ?? ''} .value=${value === null || value === undefined ? '' : String(value)} @change=${typed} /></label>`;
}

/** Paths of the settings that a method's numbers depend on. */
const pathsOf = (name: string): string[] =>
  knobs
    .filter(({ path, algorithms }) => path.startsWith('algorithm.') && (algorithms?.includes(name) ?? true))
    .map(({ path, kind }) => ({ path: path.slice('algorithm.'.length), kind }))
    .filter(({ path, kind }) => path !== 'name' && !played.test(path) && editable.includes(kind))
    .map(({ path }) => path);

/** A column a method: its name, what it makes of the batch, its formulas, its settings. */
export function methodColumns(objectives: readonly ComparedObjective[], settings: Settings, change: Change) {
  const [base] = objectives;
  return objectives.map(
    (each) => html`<article class="method" data-method=${each.name}>
      <h4>${each.label}</h4>
      ${each.without ? html`<p class="small soft">${absenceText(each.without)}</p>` : nothing}
      ${each.notes.map((note) => html`<p class="small note">${noteText(note)}</p>`)}
      ${formulas(each, base)}
      <details ?open=${settings[each.name] !== undefined}><summary class="small">${msg('Settings')}</summary>${pathsOf(each.name).map((path) => knobInput(each, path, change))}</details>
    </article>`,
  );
}

const scrolled = (label: string, table: unknown) =>
  html`<div class="scroll" tabindex="0" role="group" aria-label=${label}>${table}</div>`;

const heads = (objectives: readonly ComparedObjective[]) =>
  objectives.map(({ label }) => html`<th scope="col">${label}</th>`);

/** Spread of the advantages of a method's tokens: least and largest. */
function advantageRange({ episodes }: ComparedObjective): string {
  let [least, most] = [Infinity, -Infinity];
  for (const { tokens } of episodes)
    for (const value of tokens.advantage) [least, most] = [Math.min(least, value), Math.max(most, value)];
  return least > most ? '–' : `${fixed(least)} … ${fixed(most)}`;
}

export function numberTable(objectives: readonly ComparedObjective[]) {
  const rows: [string, (each: ComparedObjective) => string][] = [
    [msg('Trained tokens'), ({ tokens }) => String(tokens)],
    [msg('Advantage, least to largest'), advantageRange],
    [msg('Mean ratio'), ({ ratio }) => fixed(ratio, 3)],
    [msg('Clipped tokens'), ({ clipped }) => percent(clipped)],
    [msg('Norm of the gradient'), ({ norm }) => compact(norm)],
  ];
  const body = rows.map(
    ([label, read]) =>
      html`<tr><th scope="row">${label}</th>${objectives.map((each) => html`<td class="number">${each.without ? '–' : read(each)}</td>`)}</tr>`,
  );
  const table = html`<table><thead><tr><td></td>${heads(objectives)}</tr></thead><tbody>${body}</tbody></table>`;
  return scrolled(msg('Numbers'), table);
}

export function cosineTable(objectives: readonly ComparedObjective[]) {
  const shade = (value: number | null) =>
    value === null
      ? ''
      : `--share:${Math.round(35 * Math.abs(value))}%;--pull:var(${value < 0 ? '--bad' : '--accent'})`;
  const body = objectives.map(
    ({ label, cosines }) =>
      html`<tr><th scope="row">${label}</th>${cosines.map((value) => html`<td class="number cosine" .style=${shade(value)}>${fixed(value)}</td>`)}</tr>`,
  );
  return scrolled(
    msg('Cosine between the gradients'),
    html`<table><thead><tr><td></td>${heads(objectives)}</tr></thead><tbody>${body}</tbody></table>`,
  );
}

const clipMark = (clip: number | null | undefined) =>
  clip ? html`<span title=${clip < 0 ? msg('below the low clip') : msg('above the high clip')}>✂</span>` : nothing;

/** A share as a bar and a number: to the right and ▲ is up, to the left and ▼ is down. */
const shareCell = (share: number | null, most: number, clip: number | null | undefined) =>
  share === null
    ? html`<td class="number">–</td>`
    : html`<td class="number share"><span class="bar ${share < 0 ? 'down' : 'up'}" .style=${`--length:${((50 * Math.abs(share)) / most).toFixed(2)}%`}></span><span class="value">${share === 0 ? '' : share < 0 ? '▼' : '▲'} ${compact(100 * Math.abs(share))}% ${clipMark(clip)}</span></td>`;

export function shareTable(objectives: readonly ComparedObjective[], rows: readonly ShareRow[]) {
  const most = Math.max(1e-9, ...rows.flatMap(({ shares }) => shares.map((share) => Math.abs(share ?? 0))));
  const body = rows.map(
    ({ label, shares, clips }) =>
      html`<tr><th scope="row">${label}</th>${shares.map((share, k) => shareCell(share, most, clips[k]))}</tr>`,
  );
  return html`<div class="scroll tall" tabindex="0" role="group" aria-label=${msg('Share of the gradient’s weight')}><table><thead><tr><td></td>${heads(objectives)}</tr></thead><tbody>${body}</tbody></table></div>`;
}
