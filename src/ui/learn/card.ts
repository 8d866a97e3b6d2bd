/**
 * One card: a sentence, the formula, the formula with the numbers of the selected place, and the meaning of each
 * symbol.
 */
import { msg } from '@lit/localize';
import { html, nothing } from 'lit';
import { findKnob } from '../../experiment/knobs.ts';
import { type Card, type FormulaSymbol, type Source, symbolsOf, symbolWords } from '../../rl/common/formula.ts';
import { metricNamed } from '../../rl/metrics/metrics.ts';
import { compact } from '../kit/format.ts';
import { highlight, highlightOf } from '../state/highlight.ts';
import { knobLabel, lookUp, metricSentence } from '../state/labels.ts';
import { type Place, readSource } from '../state/place.ts';
import { formulaOf, hasNumbers } from './formula.ts';

const cardTitle = ({ id, title }: Card) => lookUp(title, { id: `card.${id}.title` });
const cardSentence = ({ id, sentence }: Card) => lookUp(sentence, { id: `card.${id}.sentence` });

/** Meaning of a symbol: the card's own text, a metric's explanation, the shared table of symbols, or a knob's label. */
function wordsOf({ of, words }: FormulaSymbol): string {
  if (!of) return '';
  const [kind, ...rest] = of.split('.');
  const name = rest.join('.');
  if (words) return lookUp(words, { id: `symbol.${of}` });
  if (kind === 'metric') return metricSentence(name, metricNamed(name)?.sentence ?? name);
  const shared = symbolWords[of];
  if (shared) return lookUp(shared, { id: `symbol.${of}` });
  const knob = findKnob(kind === 'setting' ? `algorithm.${name}` : name);
  return knob ? knobLabel(knob) : name;
}

const nameOf = ({ symbol, sub, sup }: FormulaSymbol) =>
  html`${symbol}${sub ? html`<sub>${sub}</sub>` : nothing}${sup ? html`<sup>${sup}</sup>` : nothing}`;

const point = (source: Source | null) => highlight(source && highlightOf(source));

/** Row of a symbol. Pointing at it or focusing it highlights the same quantity elsewhere on the page. */
const symbolRow = (symbol: FormulaSymbol, place: Place) => {
  const value = readSource(place, symbol.of!);
  const on = () => point(symbol.of!);
  const off = () => point(null);
  return html`<li><button class="quiet symbol-row" data-of=${symbol.of!} @pointerenter=${on} @pointerleave=${off} @focus=${on} @blur=${off} @click=${on}>
    <span class="name">${nameOf(symbol)}</span><span class="meaning">${wordsOf(symbol)}</span>
    <span class="number value">${value === null ? html`<span class="soft" aria-label=${msg('unknown')}>–</span>` : compact(value)}</span></button></li>`;
};

export function renderCard(card: Card, place: Place, { active, more }: { active: boolean; more?: unknown }) {
  const title = cardTitle(card);
  const symbols = symbolsOf(card.formula);
  const read = (source: Source) => readSource(place, source);
  const known = hasNumbers(card.formula, read);
  return html`<article class="card ${active ? 'active' : ''}" data-part=${card.part} aria-current=${active ? 'step' : 'false'}>
    <h3>${title}</h3>
    <p>${cardSentence(card)}</p>
    <div class="formula" tabindex="0" role="group" aria-label=${msg('Formula')}>${formulaOf(card.formula, title, { read: null, point })}</div>
    ${known ? html`<div class="formula live" tabindex="0" role="group" aria-label=${msg('With the numbers of your selection')}>${formulaOf(card.formula, msg('With the numbers of your selection'), { read, point })}</div>` : nothing}
    ${symbols.length ? html`<ul class="symbols">${symbols.map((each) => symbolRow(each, place))}</ul>` : nothing}
    ${more ?? nothing}
  </article>`;
}
