/**
 * Layout of a phone's screen without a browser: every element gets its rectangle in points of a screen of 360 × 780, and
 * its box in thousandths of the screen. A screen scrolls by whole lines, so that no element is shown in part.
 */
import type { Item, Kind, Overlay, Screen } from './screen.ts';

export const width = 360;
export const height = 780;
/** Minimum side of an element that can be tapped. */
export const leastSide = 44;

const statusHeight = 24;
const titleHeight = 56;
const navigationHeight = 48;
const keyHeight = 48;
const margin = 12;
const gap = 8;
/** Columns of the map. */
const mapColumns = 4;
const letters = 'abcdefghijklmnopqrstuvwxyz';
const keyColumns = 6;
/** Keys of the keyboard, row by row. */
const keys = [...letters, 'space', 'delete', 'enter', 'hide'];
const keyboardHeight = (keys.length / keyColumns) * keyHeight;

export interface Rectangle {
  x: number;
  y: number;
  w: number;
  h: number;
}

/** Part of a screen in which an element is. */
export type Part = 'head' | 'body' | 'bottom' | 'overlay' | 'keyboard' | 'navigation';

export interface Placed extends Rectangle {
  item: Item;
  part: Part;
  /** Lines of a text; 1 for the other kinds. */
  rows: number;
  /** Number among the elements that can be acted on, from 1; 0 for the others. */
  number: number;
}

export interface Layout {
  title: string;
  placed: Placed[];
  /** Keys of the keyboard and of the navigation bar, which have no numbers. */
  chrome: Placed[];
  /** Elements above and below the lines shown. */
  above: Item[];
  below: Item[];
  /** First line shown, and the last value of it that scrolling reaches. */
  scroll: number;
  lastScroll: number;
  /** Number of lines shown. */
  lines: number;
  keyboard: boolean;
  /** Panel of an overlay. */
  panel: Rectangle | null;
}

/** Parts of a phone that decide its layout. */
export interface LayoutInput {
  screen: Screen;
  overlay: Overlay | null;
  scroll: number;
  keyboard: boolean;
  largeFont: boolean;
  /** False on the home screen, which has no way back. */
  back: boolean;
}

const heights: { readonly [kind in Kind]: number } = {
  heading: 36,
  text: 36,
  bubble: 44,
  row: 64,
  switch: 56,
  button: 52,
  field: 60,
  chip: 48,
  tile: 96,
  pin: 60,
  slider: 64,
  key: keyHeight,
};

const scaled = (points: number, large: boolean) => (large ? (points * 5) / 4 : points);

/** Elements of one height that are beside each other. */
interface Line {
  items: Item[];
  height: number;
  rectangles: Rectangle[];
}

const columnsOf = (kind: Kind, large: boolean) => (kind === 'chip' && large ? 3 : 4);
const inGrid = (kind: Kind) => kind === 'chip' || kind === 'tile';

/** Letters of a line of text. */
const lettersOf = (large: boolean) => (large ? 32 : 40);

/** Height of a line of text beyond the first. */
const rowHeight = 20;

const isText = ({ kind }: Item) => kind === 'text' || kind === 'bubble';

function rowsOf(item: Item, large: boolean): number {
  if (!isText(item)) return 1;
  return Math.max(1, Math.ceil(`${item.text} ${item.detail ?? ''}`.length / lettersOf(large)));
}

const itemHeight = (item: Item, large: boolean): number =>
  scaled(heights[item.kind] + (rowsOf(item, large) - 1) * rowHeight, large);

function gridLine(items: Item[], large: boolean): Line {
  const columns = columnsOf(items[0].kind, large);
  const h = scaled(heights[items[0].kind], large);
  const w = (width - 2 * margin - (columns - 1) * gap) / columns;
  const rectangles = items.map((_, k) => ({ x: margin + k * (w + gap), y: 0, w, h }));
  return { items, height: h + gap, rectangles };
}

function mapLine(items: Item[], large: boolean): Line {
  const h = scaled(heights.pin, large);
  const w = (width - 2 * margin - (mapColumns - 1) * gap) / mapColumns;
  const rectangles = items.map(({ cell }) => ({
    x: margin + (cell! % mapColumns) * (w + gap),
    y: Math.floor(cell! / mapColumns) * (h + gap),
    w,
    h,
  }));
  return { items, height: mapColumns * (h + gap), rectangles };
}

function plainLine(item: Item, large: boolean): Line {
  const h = itemHeight(item, large);
  const w = item.kind === 'bubble' ? 260 : width - 2 * margin;
  const x = item.kind === 'bubble' && item.state === 'sent' ? width - margin - w : margin;
  return { items: [item], height: h + gap, rectangles: [{ x, y: 0, w, h }] };
}

/** Lines of a screen: neighbours that make a grid share a line, and all pins of a map. */
function linesOf(items: readonly Item[], large: boolean): Line[] {
  const lines: Line[] = [];
  for (let k = 0; k < items.length; ) {
    const { kind } = items[k];
    const most = kind === 'pin' ? Infinity : inGrid(kind) ? columnsOf(kind, large) : 1;
    let end = k + 1;
    while (end < items.length && end - k < most && items[end].kind === kind) end++;
    const some = items.slice(k, end);
    lines.push(
      kind === 'pin' ? mapLine(some, large) : inGrid(kind) ? gridLine(some, large) : plainLine(some[0], large),
    );
    k = end;
  }
  return lines;
}

/** Number of lines from `start` on that fit. */
function fitting(lines: readonly Line[], start: number, room: number): number {
  let [count, used] = [0, 0];
  while (start + count < lines.length && used + lines[start + count].height <= room)
    used += lines[start + count++].height;
  // A line higher than the room is shown alone.
  return Math.max(count, Math.min(1, lines.length - start));
}

function lastStart(lines: readonly Line[], room: number): number {
  let start = Math.max(0, lines.length - 1);
  while (start > 0 && start - 1 + fitting(lines, start - 1, room) >= lines.length) start--;
  return start;
}

/** Places elements of a part; `large`: with a large font. */
const placing =
  (part: Part, large = false) =>
  (item: Item, x: number, y: number, w: number, h: number): Placed => ({
    ...{ item, part, x, y, w, h },
    ...{ rows: rowsOf(item, large), number: 0 },
  });

/** The bar at the bottom: a field takes the room that the buttons leave. */
function bottomBar(items: readonly Item[], y: number, large: boolean): Placed[] {
  const h = scaled(52, large);
  const room = width - 2 * margin - (items.length - 1) * gap;
  const hasField = items.some(({ kind }) => kind === 'field');
  const buttonWidth = hasField ? 88 : room / items.length;
  let x = margin;
  return items.map((item) => {
    const w = item.kind === 'field' ? room - buttonWidth * (items.length - 1) : buttonWidth;
    const placed = placing('bottom')(item, x, y + gap / 2, w, h);
    x += w + gap;
    return placed;
  });
}

function keyboardKeys(y: number): Placed[] {
  const w = width / keyColumns;
  return keys.map((key, k) =>
    placing('keyboard')(
      { kind: 'key', key: `key ${key}`, text: key },
      (k % keyColumns) * w,
      y + Math.floor(k / keyColumns) * keyHeight,
      w,
      keyHeight,
    ),
  );
}

const navigationKeys = (): Placed[] =>
  ['Back', 'Home'].map((text, k) =>
    placing('navigation')(
      { kind: 'key', key: `nav ${text}`, text },
      k * (width / 2),
      height - navigationHeight,
      width / 2,
      navigationHeight,
    ),
  );

/** Panel and elements of an overlay: a dialog in the middle, a sheet at the bottom. */
function placeOverlay({ kind, title, text, choices }: Overlay, large: boolean) {
  const heads: Item[] = [
    { kind: 'heading', key: 'overlay title', text: title },
    ...(text ? [{ kind: 'text' as const, key: 'overlay text', text }] : []),
  ];
  const all = [...heads, ...choices].reduce((sum, item) => sum + itemHeight(item, large) + gap, margin);
  const bottom = height - navigationHeight;
  const panel = {
    x: margin,
    y: Math.round(kind === 'dialog' ? (bottom - all) / 2 : bottom - all),
    w: width - 2 * margin,
    h: all,
  };
  let y = panel.y + margin;
  const placed = [...heads, ...choices].map((item) => {
    const h = itemHeight(item, large);
    const rectangle = placing('overlay', large)(item, panel.x + margin, y, panel.w - 2 * margin, h);
    y += h + gap;
    return rectangle;
  });
  return { panel, placed };
}

/** True if something can be done with an element. */
const isActive = ({ tap, hold, set }: Item): boolean => Boolean(tap || hold || set);

function numbered(placed: Placed[]): Placed[] {
  let number = 0;
  return placed.map((each) => ({ ...each, number: isActive(each.item) ? ++number : 0 }));
}

/** Lays out a screen. With an overlay, its elements take the place of those beneath, which cannot be reached. */
export function layOut(input: LayoutInput): Layout {
  const { screen, overlay, keyboard, largeFont: large } = input;
  const top = statusHeight + titleHeight;
  const bar = screen.bottom?.length ? scaled(52, large) + gap : 0;
  const floor = height - navigationHeight - (keyboard ? keyboardHeight : 0);
  const lines = linesOf(screen.items, large);
  const room = floor - bar - top;
  const lastScroll = lastStart(lines, room);
  const scroll = Math.min(input.scroll, lastScroll);
  const count = fitting(lines, scroll, room);
  let y = top;
  const body = lines.slice(scroll, scroll + count).flatMap((line) => {
    const placed = line.items.map((item, k) => {
      const { x, y: down, w, h } = line.rectangles[k];
      return placing('body', large)(item, x, y + down, w, h);
    });
    y += line.height;
    return placed;
  });
  const back: Item = { kind: 'button', key: 'Back', text: 'Back', tap: (p) => p.back() };
  const head = input.back ? [placing('head')(back, 0, statusHeight, titleHeight, titleHeight)] : [];
  const own = [...head, ...body, ...bottomBar(screen.bottom ?? [], floor - bar, large)];
  const over = overlay && placeOverlay(overlay, large);
  const itemsOf = (some: readonly Line[]) => some.flatMap(({ items }) => items);
  return {
    title: overlay?.title ?? screen.title,
    placed: numbered(over ? over.placed : own),
    chrome: [...(keyboard && !over ? keyboardKeys(floor) : []), ...navigationKeys()],
    above: over ? [] : itemsOf(lines.slice(0, scroll)),
    below: over ? [] : itemsOf(lines.slice(scroll + count)),
    ...{ scroll, lastScroll, lines: count, keyboard: keyboard && !over, panel: over?.panel ?? null },
  };
}

/** Line of an element in a screen that scrolls; -1 if it is in none. */
export const lineOf = (items: readonly Item[], key: string, large: boolean): number =>
  linesOf(items, large).findIndex((line) => line.items.some((item) => item.key === key));

const thousandth = (points: number, of: number) => Math.min(999, Math.round((1000 * points) / of));

/** Box of a rectangle in thousandths of the screen: left, top, right, bottom, each from 0 to 999. */
export const boxOf = ({ x, y, w, h }: Rectangle): [number, number, number, number] => [
  thousandth(x, width),
  thousandth(y, height),
  thousandth(x + w, width),
  thousandth(y + h, height),
];

export function centreOf(rectangle: Rectangle): [number, number] {
  const [left, top, right, bottom] = boxOf(rectangle);
  return [Math.round((left + right) / 2), Math.round((top + bottom) / 2)];
}

const contains = ({ x, y, w, h }: Rectangle, left: number, top: number) =>
  left >= x && left < x + w && top >= y && top < y + h;

/** Element at a point, given in thousandths of the screen. */
export function elementAt(placed: readonly Placed[], x: number, y: number): Placed | undefined {
  const [left, top] = [(x * width) / 1000, (y * height) / 1000];
  return placed.find((each) => contains(each, left, top));
}
