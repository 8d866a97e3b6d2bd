/**
 * Rows of a long list that are drawn, and their position. Browsers limit the height of an element to some 17 to 33
 * million pixels, and libraries to 8 million (the limit of @lit-labs/virtualizer), enough for 240,000 rows. In longer
 * lists scrolling is scaled, so that the scrollbar still reaches every row. Pure.
 */

/** Pixels. Firefox's limit is 17.8 million. */
const highest = 8_000_000;

export interface RowWindow {
  /** Height of the scrolled content, in pixels. */
  height: number;
  first: number;
  /** Index after the last row drawn. */
  end: number;
  /** Position of the first row drawn, in pixels from the top of the content. */
  top: number;
}

interface Shape {
  rows: number;
  rowHeight: number;
  viewHeight: number;
}

const heightOf = ({ rows, rowHeight, viewHeight }: Shape) => Math.max(viewHeight, Math.min(rows * rowHeight, highest));

/** Pixels of rows for each pixel of scrolling: 1, or more if the list is scaled. */
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

/** Scroll position at which a row is in view; the current position if it already is. */
export function scrollTo(shape: Shape, scrollTop: number, row: number): number {
  const scale = scaleOf(shape);
  const offset = scrollTop * scale;
  const [from, to] = [row * shape.rowHeight, (row + 1) * shape.rowHeight];
  if (from < offset) return from / scale;
  return to > offset + shape.viewHeight ? (to - shape.viewHeight) / scale : scrollTop;
}
