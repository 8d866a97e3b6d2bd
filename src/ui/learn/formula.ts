/**
 * Formulas drawn as MathML (https://www.w3.org/TR/mathml-core/), with symbols as in the papers or with numbers in their
 * places.
 */
import { html, mathml, type TemplateResult } from 'lit';
import type { Formula, FormulaSymbol, Source } from '../../rl/algorithms/cards.ts';
import { compact } from '../kit/format.ts';

export type Reader = (source: Source) => number | null;

interface Drawing {
  /**
   * Returns a symbol's number, or null if the symbol has none. If `read` itself is null, the formula is drawn with
   * symbols only.
   */
  read: Reader | null;
  point(source: Source | null): void;
}

const isName = (text: string) => /^[\p{L}𝒜ℒ]+$/u.test(text);

function plain(text: string) {
  if (/^[\d.]+$/.test(text)) return mathml`<mn>${text}</mn>`;
  // MathML sets an `mi` of more than one letter upright: min, log, clip.
  return isName(text) ? mathml`<mi>${text}</mi>` : mathml`<mo>${text}</mo>`;
}

const index = (text: string) => (/^\d+$/.test(text) ? mathml`<mn>${text}</mn>` : mathml`<mi>${text}</mi>`);

function scripted({ symbol, sub, sup }: FormulaSymbol) {
  const base = mathml`<mi>${symbol}</mi>`;
  if (sub && sup) return mathml`<msubsup>${base}${index(sub)}${index(sup)}</msubsup>`;
  if (sub) return mathml`<msub>${base}${index(sub)}</msub>`;
  return sup ? mathml`<msup>${base}${index(sup)}</msup>` : base;
}

/** A symbol or its number. A symbol with a source highlights that source while the pointer is on it. */
function symbolOf(symbol: FormulaSymbol, { read, point }: Drawing) {
  const { of } = symbol;
  if (!of) return scripted(symbol);
  const value = symbol.keeps ? null : (read?.(of) ?? null);
  return pointed(of, value === null ? scripted(symbol) : numberOf(value), point);
}

const pointed = (of: Source, shown: unknown, point: Drawing['point']) =>
  mathml`<mrow class="symbol" @pointerenter=${() => point(of)} @pointerleave=${() => point(null)}>${shown}</mrow>`;

/** A part of a formula whose value is one number: draws the number if it is known, otherwise the part. */
function wholeOf(formula: Formula, { of }: FormulaSymbol, drawing: Drawing) {
  const value = of ? (drawing.read?.(of) ?? null) : null;
  const shown = value === null ? part(formula, drawing) : numberOf(value);
  return of ? pointed(of, shown, drawing.point) : shown;
}

const numberOf = (value: number) => {
  const text = compact(Math.abs(value));
  return value < 0 ? mathml`<mo>(</mo><mo>−</mo><mn>${text}</mn><mo>)</mo>` : mathml`<mn>${text}</mn>`;
};

function part(formula: Formula, drawing: Drawing): TemplateResult<3> {
  if (typeof formula === 'string') return plain(formula);
  if (Array.isArray(formula)) return mathml`<mrow>${formula.map((each) => part(each, drawing))}</mrow>`;
  const node = formula as Exclude<Formula, string | readonly Formula[]>;
  if ('symbol' in node) return symbolOf(node, drawing);
  if ('lines' in node) return mathml`<mrow>${node.lines.map((each) => part(each, drawing))}</mrow>`;
  if ('whole' in node) return wholeOf(node.whole, node.as, drawing);
  if ('over' in node) return mathml`<mfrac>${part(node.over, drawing)}${part(node.under, drawing)}</mfrac>`;
  if ('big' in node)
    return mathml`<munder><mo movablelimits="false">${node.big}</mo>${part(node.below, drawing)}</munder>`;
  if ('root' in node) return mathml`<msqrt>${part(node.root, drawing)}</msqrt>`;
  const { power, to } = node as { power: Formula; to: Formula };
  return mathml`<msup>${part(power, drawing)}${part(to, drawing)}</msup>`;
}

/** True if at least one number of the formula is known; otherwise a second copy with numbers would equal the first. */
export function hasNumbers(formula: Formula, read: Reader): boolean {
  let found = false;
  const reads = (source: Source) => {
    const value = read(source);
    found ||= value !== null;
    return value;
  };
  part(formula, { read: reads, point: () => {} });
  return found;
}

const linesOf = (formula: Formula): readonly Formula[] =>
  typeof formula === 'object' && 'lines' in formula ? formula.lines : [formula];

/** One `math` block for each line, so that a line that is too long scrolls by itself. */
export const formulaOf = (formula: Formula, label: string, drawing: Drawing) =>
  linesOf(formula).map((line) => html`<math display="block" aria-label=${label}>${part(line, drawing)}</math>`);
