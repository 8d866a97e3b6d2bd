/**
 * Which rows of a long list of equal rows are drawn, and where. Browsers cut off elements that are higher than some 17 to 33 million
 * pixels, and libraries stop at 8 (@lit-labs/virtualizer clamps there), which is 240,000 rows: above that, scrolling is scaled, so that
 * its whole way still covers all rows. Pure.
 */

/** Firefox's limit is 17.8 million. */
const highest = 8_000_000;

export interface RowWindow {
  /** Height of the whole, in pixels. */
  height: number;
  first: number;
  /** After the last. */
  end: number;
  /** Where the first of them is drawn. */
  top: number;
}

interface Shape {
  rows: number;
  rowHeight: number;
  viewHeight: number;
}

const heightOf = ({ rows, rowHeight, viewHeight }: Shape) => Math.max(viewHeight, Math.min(rows * rowHeight, highest));

/** How far rows go for a pixel of scrolling: 1, or more where the whole is scaled. */
function scaleOf(shape: Shape): number {
  const way = heightOf(shape) - shape.viewHeight;
  const rowsWay = shape.rows * shape.rowHeight - shape.viewHeight;
  return way > 0 && rowsWay > way ? rowsWay / way : 1;
}

export function rowWindow(shape: Shape, scrollTop: number): RowWindow {
  const { rows, rowHeight, viewHeight } = shape;
  const offset = scrollTop * scaleOf(shape);
  const visible = Math.ceil(viewHeight / rowHeight) + 1;
  const first = Math.max(0, Math.min(Math.floor(offset / rowHeight), rows - visible + 1));
  const end = Math.min(rows, first + visible);
  return { height: heightOf(shape), first, end, top: scrollTop - (offset - first * rowHeight) };
}

/** Where to scroll so that a row is in view; the place it is at, where it is. */
export function scrollTo(shape: Shape, scrollTop: number, row: number): number {
  const scale = scaleOf(shape);
  const offset = scrollTop * scale;
  const [from, to] = [row * shape.rowHeight, (row + 1) * shape.rowHeight];
  if (from < offset) return from / scale;
  return to > offset + shape.viewHeight ? (to - shape.viewHeight) / scale : scrollTop;
}
