/** A formula drawn as MathML (https://www.w3.org/TR/mathml-core/): as it stands in the papers, or with numbers in place of symbols. */
import { html, mathml, nothing, type TemplateResult } from 'lit';
import type { Formula, FormulaSymbol, Source } from '../../rl/algorithms/cards.ts';
import { compact } from '../app/format.ts';

export type Reader = (source: Source) => number | null;

interface Drawing {
  /** Present: numbers stand where there are any. */
  read: Reader | null;
  point(source: Source | null): void;
}

const isName = (text: string) => /^[\p{L}𝒜ℒ]+$/u.test(text);

function plain(text: string) {
  if (/^[\d.]+$/.test(text)) return mathml`<mn>${text}</mn>`;
  if (/^,\s+/.test(text))
    return mathml`<mspace width="0"></mspace><mo>,</mo><mspace width="0.9em"></mspace>${plainRest(text)}`;
  // More than one letter is a name that is set upright: min, log, clip.
  return isName(text) ? mathml`<mi>${text}</mi>` : mathml`<mo>${text}</mo>`;
}

const plainRest = (text: string) => {
  const rest = text.replace(/^,\s+/, '');
  return rest ? mathml`<mi>${rest.replace('=', '')}</mi>${rest.includes('=') ? mathml`<mo>=</mo>` : nothing}` : nothing;
};

const index = (text: string) => (/^\d+$/.test(text) ? mathml`<mn>${text}</mn>` : mathml`<mi>${text}</mi>`);

function scripted({ symbol, sub, sup }: FormulaSymbol) {
  const base = mathml`<mi>${symbol}</mi>`;
  if (sub && sup) return mathml`<msubsup>${base}${index(sub)}${index(sup)}</msubsup>`;
  if (sub) return mathml`<msub>${base}${index(sub)}</msub>`;
  return sup ? mathml`<msup>${base}${index(sup)}</msup>` : base;
}

/** A symbol that stands for a number can be pointed at. */
function symbolOf(symbol: FormulaSymbol, { read, point }: Drawing) {
  const { of } = symbol;
  if (!of) return scripted(symbol);
  const value = read?.(of) ?? null;
  const shown = value === null ? scripted(symbol) : numberOf(value);
  return mathml`<mrow class="symbol" @pointerenter=${() => point(of)} @pointerleave=${() => point(null)}>${shown}</mrow>`;
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
  if ('over' in node) return mathml`<mfrac>${part(node.over, drawing)}${part(node.under, drawing)}</mfrac>`;
  if ('big' in node)
    return mathml`<munder><mo movablelimits="false">${node.big}</mo>${part(node.below, drawing)}</munder>`;
  if ('root' in node) return mathml`<msqrt>${part(node.root, drawing)}</msqrt>`;
  const { power, to } = node as { power: Formula; to: Formula };
  return mathml`<msup>${part(power, drawing)}${part(to, drawing)}</msup>`;
}

export const formulaOf = (formula: Formula, label: string, drawing: Drawing) =>
  html`<math display="block" aria-label=${label}>${part(formula, drawing)}</math>`;
