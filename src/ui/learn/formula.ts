/**
 * Formulas drawn as MathML (https://www.w3.org/TR/mathml-core/), with symbols as in the papers or with numbers in their
 * places.
 */
import { html, mathml, type TemplateResult } from 'lit';
import type { Formula, FormulaSymbol, Source } from '../../rl/common/formula.ts';
import { significant } from '../kit/format.ts';
import { linesOf, type Marks } from './formula-differences.ts';
import { holds, type Reader } from './formula-value.ts';

interface Drawing {
  /**
   * Returns a symbol's number, or null if the symbol has none. If `read` itself is null, the formula is drawn with
   * symbols only.
   */
  read: Reader | null;
  point(source: Source | null): void;
  /** Parts that differ from another formula. */
  marks?: Marks;
}

/** `rounded`: a number of the line was printed with fewer digits than it has, so the line's `=` is drawn as `≈`. */
interface LineDrawing extends Drawing {
  rounded: boolean;
}

/** End of a part, by which it is joined with its neighbour. */
type Shape = 'number' | 'factor' | 'function' | 'open' | 'close' | 'operator';

interface Drawn {
  shown: TemplateResult<3>;
  first: Shape;
  last: Shape;
}

/**
 * Place of a number: at the start of a row, where a sign needs no parentheses; inside a row; or directly after a slash
 * or under an exponent, where a power of ten needs them too.
 */
type Position = 'start' | 'inside' | 'bound';

const both = (shown: TemplateResult<3>, shape: Shape): Drawn => ({ shown, first: shape, last: shape });

const isName = (text: string) => /^[\p{L}𝒜ℒ]+$/u.test(text);
const functions: readonly string[] = ['min', 'clip', 'log', 'sg', 'AdamW', '∇'];
const openers: readonly string[] = ['(', '['];
const closers: readonly string[] = [')', ']'];
const relations: readonly string[] = ['=', '≈', '∝', '→', '←', ','];

function shapeOf(text: string): Shape {
  if (functions.includes(text)) return 'function';
  if (openers.includes(text)) return 'open';
  if (closers.includes(text)) return 'close';
  return isName(text) ? 'factor' : 'operator';
}

function plain(text: string, { rounded }: LineDrawing): Drawn {
  if (/^[\d.]+$/.test(text)) return both(mathml`<mn>${text}</mn>`, 'number');
  // MathML sets an `mi` of more than one letter upright: min, log, clip.
  if (isName(text)) return both(mathml`<mi>${text}</mi>`, shapeOf(text));
  return both(mathml`<mo>${text === '=' && rounded ? '≈' : text}</mo>`, shapeOf(text));
}

const index = (text: string) => (/^\d+$/.test(text) ? mathml`<mn>${text}</mn>` : mathml`<mi>${text}</mi>`);

function scripted({ symbol, sub, sup }: FormulaSymbol) {
  const base = mathml`<mi>${symbol}</mi>`;
  if (sub && sup) return mathml`<msubsup>${base}${index(sub)}${index(sup)}</msubsup>`;
  if (sub) return mathml`<msub>${base}${index(sub)}</msub>`;
  return sup ? mathml`<msup>${base}${index(sup)}</msup>` : base;
}

/** A symbol or its number. A symbol with a source highlights that source while the pointer is on it. */
function symbolOf(symbol: FormulaSymbol, drawing: LineDrawing, position: Position): Drawn {
  const { of } = symbol;
  if (!of) return both(scripted(symbol), 'factor');
  const value = symbol.keeps ? null : (drawing.read?.(of) ?? null);
  const drawn = value === null ? both(scripted(symbol), 'factor') : numberOf(value, drawing, position);
  return pointed(of, drawn, drawing.point);
}

const pointed = (of: Source, drawn: Drawn, point: Drawing['point']): Drawn => ({
  ...drawn,
  shown: mathml`<mrow class="symbol" @pointerenter=${() => point(of)} @pointerleave=${() => point(null)}>${drawn.shown}</mrow>`,
});

/** A part of a formula whose value is one number: draws the number if it is known, otherwise the part. */
function wholeOf(formula: Formula, { of }: FormulaSymbol, drawing: LineDrawing, position: Position): Drawn {
  const value = of ? (drawing.read?.(of) ?? null) : null;
  const drawn = value === null ? part(formula, drawing, position) : numberOf(value, drawing, position);
  return of ? pointed(of, drawn, drawing.point) : drawn;
}

const digits = 4;

/** Sizes printed without a power of ten. */
const isPlainSize = (size: number) => size === 0 || (size >= 1e-3 && size < 1e6);

/** A number with four significant digits, very small and large ones with a power of ten. */
function numberOf(value: number, drawing: LineDrawing, position: Position): Drawn {
  const size = Math.abs(value);
  const [mantissa, exponent] = size
    .toExponential(digits - 1)
    .split('e')
    .map(Number);
  drawing.rounded ||= Math.abs(Number(`${mantissa}e${exponent}`) - size) > 1e-9 * size;
  const power = mathml`<msup><mn>10</mn>${exponent < 0 ? mathml`<mrow><mo>−</mo><mn>${-exponent}</mn></mrow>` : mathml`<mn>${exponent}</mn>`}</msup>`;
  const shown = isPlainSize(size)
    ? mathml`<mn>${significant(size, digits)}</mn>`
    : mathml`<mn>${significant(mantissa, digits)}</mn><mo>×</mo>${power}`;
  const sign = value < 0 ? mathml`<mo>−</mo>` : '';
  const enclosed = (value < 0 && position !== 'start') || (!isPlainSize(size) && position === 'bound');
  return both(
    mathml`<mrow>${enclosed ? mathml`<mo>(</mo>${sign}${shown}<mo>)</mo>` : mathml`${sign}${shown}`}</mrow>`,
    'number',
  );
}

/** Numbers side by side, or beside a symbol, would read as one number: a dot multiplies them. */
function isProduct(left: Shape, right: Shape): boolean {
  if (left === 'number') return ['number', 'factor', 'function', 'open'].includes(right);
  return right === 'number' && (left === 'factor' || left === 'close');
}

/** Position of the part after `before` in a row that itself has the position `own`. */
function positionAfter(before: Formula | undefined, own: Position): Position {
  if (before === undefined) return own;
  if (typeof before !== 'string') return 'inside';
  if (before === '/') return 'bound';
  return relations.includes(before) || openers.includes(before) ? 'start' : 'inside';
}

const differing = (drawn: Drawn): Drawn => ({ ...drawn, shown: mathml`<mrow class="differs">${drawn.shown}</mrow>` });

function rowOf(row: readonly Formula[], drawing: LineDrawing, position: Position): Drawn {
  const marked = drawing.marks?.get(row);
  const drawn = row.map((each, k) => {
    const plainPart = part(each, drawing, positionAfter(row[k - 1], position));
    return marked?.has(k) ? differing(plainPart) : plainPart;
  });
  const joined = drawn.flatMap(({ shown, first }, k) =>
    k > 0 && isProduct(drawn[k - 1].last, first) ? [mathml`<mo>⋅</mo>`, shown] : [shown],
  );
  return {
    shown: mathml`<mrow>${joined}</mrow>`,
    first: drawn[0]?.first ?? 'operator',
    last: drawn.at(-1)?.last ?? 'operator',
  };
}

function part(formula: Formula, drawing: LineDrawing, position: Position): Drawn {
  if (typeof formula === 'string') return plain(formula, drawing);
  if (Array.isArray(formula)) return rowOf(formula, drawing, position);
  const node = formula as Exclude<Formula, string | readonly Formula[]>;
  return drawing.marks?.has(node) ? differing(nodeOf(node, drawing, position)) : nodeOf(node, drawing, position);
}

/** A part that is neither text nor a row. */
function nodeOf(node: Exclude<Formula, string | readonly Formula[]>, drawing: LineDrawing, position: Position): Drawn {
  if ('symbol' in node) return symbolOf(node, drawing, position);
  if ('lines' in node) return rowOf(node.lines, drawing, 'start');
  if ('whole' in node) return wholeOf(node.whole, node.as, drawing, position);
  const inner = (each: Formula) => part(each, drawing, 'start').shown;
  if ('over' in node) return both(mathml`<mfrac>${inner(node.over)}${inner(node.under)}</mfrac>`, 'factor');
  if ('big' in node)
    return both(mathml`<munder><mo movablelimits="false">${node.big}</mo>${inner(node.below)}</munder>`, 'operator');
  if ('root' in node) return both(mathml`<msqrt>${inner(node.root)}</msqrt>`, 'factor');
  const { power, to } = node as { power: Formula; to: Formula };
  const base = part(power, drawing, 'bound');
  return { shown: mathml`<msup>${base.shown}${inner(to)}</msup>`, first: base.first, last: base.first };
}

/** True if at least one number of the formula is known; otherwise a second copy with numbers would equal the first. */
export function hasNumbers(formula: Formula, read: Reader): boolean {
  let found = false;
  const reads = (source: Source) => {
    const value = read(source);
    found ||= value !== null;
    return value;
  };
  for (const line of linesOf(formula)) part(line, { read: reads, point: () => {}, rounded: false }, 'start');
  return found;
}

/** A line whose numbers contradict it is drawn with symbols. */
function lineOf(line: Formula, { read, ...rest }: Drawing) {
  const drawing: LineDrawing = { ...rest, read: read && holds(line, read) ? read : null, rounded: false };
  // The first pass finds out if a number is rounded.
  part(line, drawing, 'start');
  return part(line, drawing, 'start').shown;
}

/** One `math` block for each line, so that a line that is too long scrolls by itself. */
export const formulaOf = (formula: Formula, label: string, drawing: Drawing) =>
  linesOf(formula).map((line) => html`<math display="block" aria-label=${label}>${lineOf(line, drawing)}</math>`);
