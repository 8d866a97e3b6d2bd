/** Exact conversion of packed rows to a format that holds their values. */
import { toHalf } from './half.ts';
import {
  codeAt,
  emptyRows,
  groupLength,
  minimumAt,
  type PackedFormat,
  type PackedRows,
  sameFormat,
  scaleAt,
} from './quantize.ts';

/**
 * True if every packed value of `from` is a value of `to`: more bits, a minimum where there was none (-8 scales, or 0),
 * or both.
 */
export const holds = (to: PackedFormat, from: PackedFormat) => to.bits >= from.bits && (to.minimum || !from.minimum);

/** Rows in a format that holds their values, with the same values. */
export function convertRows(packed: PackedRows, format: PackedFormat): PackedRows {
  const { row, rows } = packed;
  if (sameFormat(row, format)) return packed;
  const out = emptyRows(format, rows, row.length);
  for (let r = 0; r < rows; r++)
    for (let g = 0; g < row.groups; g++) {
      writeScale(out, r, g, packed);
      const end = Math.min(row.length, (g + 1) * groupLength);
      for (let k = g * groupLength; k < end; k++) writeCode(out, r, k, codeAt(packed, r, k));
    }
  return out;
}

/** True for the format whose codes are 0..15. */
const countsFromZero = ({ bits, minimum }: PackedFormat) => bits === 4 && minimum;

function writeScale(out: PackedRows, r: number, g: number, from: PackedRows): void {
  const { minimum, scaleWords } = out.row;
  const scale = scaleAt(from, r, g);
  if (!minimum) {
    out.scales[r * scaleWords + (g >> 1)] |= toHalf(scale) << (16 * (g & 1));
    return;
  }
  // Codes -8..7 become 0..15.
  const least = countsFromZero(out.row) && !from.row.minimum ? -8 * scale : minimumAt(from, r, g);
  out.scales[r * scaleWords + g] = toHalf(scale) | (toHalf(least) << 16);
}

/** Writes code `value` of the source as code `k`, which is still zero or the padding. */
function writeCode({ row, codes }: PackedRows, r: number, k: number, value: number): void {
  if (row.bits === 8) codes[r * row.codeWords + (k >> 2)] |= (value & 255) << (8 * (k & 3));
  else codes[r * row.codeWords + (k >> 3)] |= (value + 8) << (4 * (k & 7));
}
