/**
 * Prints a page as the observation of WebArena's agent. From an accessibility tree in Chromium's form, nodes outside
 * the viewport are removed, the others printed one per line, and repeated static text is dropped. The rules are those
 * of browser_env/processors.py (github.com/web-arena-x/webarena, Apache-2.0), including its bugs. Independent of any
 * browser: the caller provides tree and boxes.
 */
import { isBlank, repr } from '../python/text.ts';
import { str, type Value } from '../python/values.ts';

/** A node in the format of Chromium's protocol (Accessibility.getFullAXTree). */
export interface AxNode {
  nodeId: string;
  role?: { value?: string };
  name?: { value?: string };
  properties?: readonly { name: string; value: { value?: Value } }[];
  childIds?: readonly string[];
  parentId?: string;
  backendDOMNodeId?: number;
}

/** x, y, width and height in pixels, or null if the node has no box. */
export type Box = readonly [number, number, number, number] | null;

export interface TabTitles {
  /** Title of each tab, or null if it could not be read. */
  titles: readonly (string | null)[];
  current: number;
}

export interface ScreenFacts {
  screenWidth: number;
  screenHeight: number;
  devicePixelRatio: number;
  /** Width of the page's first layout box. */
  layoutWidth: number;
}

/** An element that an action can refer to: its printed id, its line and its box. */
export interface PrintedNode {
  id: string;
  text: string;
  backendId: number;
  box: Box;
}

export interface TreeText {
  text: string;
  nodes: Map<string, PrintedNode>;
}

/** An exception that the original raises at this point; `type` is its Python class. */
export class ObservationError extends Error {
  override name = 'ObservationError';
  constructor(
    readonly type: string,
    message: string,
  ) {
    super(message);
  }
}

/** Maximum length of a name, a property or a title, and of an observation, in characters: a hostile page may have MBs. */
export const MOST_NAME = 10_000;
export const MOST_TEXT = 1_000_000;

const cut = (text: string, most: number) =>
  text.length <= most ? text : `${text.slice(0, most)} [cut: it has ${text.length.toLocaleString('en')} characters]`;

const inViewportRatio = 0.6;
const ignoredProperties = new Set([
  ...['focusable', 'editable', 'readonly', 'level', 'settable', 'multiline', 'invalid'],
]);
const droppedWhenBlank = new Set([
  ...['generic', 'img', 'list', 'strong', 'paragraph', 'banner', 'navigation', 'Section', 'LabelText', 'Legend'],
  'listitem',
]);

interface Node {
  id: string;
  source: AxNode;
  parent: string | undefined;
  children: string[];
  box: Box;
}

/**
 * Overlap of a box with the screen. Keeps the original's order of operations (`a / w * h`), by which almost any overlap
 * keeps a node (webarena issue 178).
 */
function overlapRatio([x, y, width, height]: NonNullable<Box>, screen: ScreenFacts): number {
  const overlapWidth = Math.max(0, Math.min(x + width, screen.screenWidth) - Math.max(x, 0));
  const overlapHeight = Math.max(0, Math.min(y + height, screen.screenHeight) - Math.max(y, 0));
  return ((overlapWidth * overlapHeight) / width) * height;
}

function isShown(box: Box, screen: ScreenFacts): boolean {
  if (!box || box[2] === 0 || box[3] === 0) return false;
  return overlapRatio(box, screen) >= inViewportRatio;
}

function takeNodes(tree: readonly AxNode[], boxOf: (node: AxNode) => Box): Map<string, Node> {
  const nodes = new Map<string, Node>();
  for (const source of tree) {
    const { nodeId: id, parentId: parent, childIds } = source;
    if (!nodes.has(id)) nodes.set(id, { id, source, parent, children: [...(childIds ?? [])], box: boxOf(source) });
  }
  return nodes;
}

/**
 * Removes nodes outside the viewport, in the order of the tree's list. The children of a removed node take its place.
 */
function dropUnseen(nodes: Map<string, Node>, screen: ScreenFacts): void {
  for (const node of [...nodes.values()]) {
    if (isShown(node.box, screen)) continue;
    if (node.parent === undefined) throw new ObservationError('KeyError', "'parentId'");
    const parent = nodes.get(node.parent);
    if (!parent) throw new ObservationError('KeyError', repr(node.parent));
    const at = parent.children.indexOf(node.id);
    if (at < 0) throw new ObservationError('ValueError', `${repr(node.id)} is not in list`);
    parent.children.splice(at, 1, ...node.children);
    for (const child of node.children) {
      const found = nodes.get(child);
      if (!found) throw new ObservationError('KeyError', repr(child));
      found.parent = node.parent;
    }
    nodes.delete(node.id);
    // Deleting a node does not update other references to it. Such a reference throws when its own node is dropped, as
    // in the original.
  }
}

/** Properties printed after a node's name. */
export function propertyTexts({ properties = [] }: AxNode): string[] {
  return properties
    .filter(({ name, value }) => !ignoredProperties.has(name) && 'value' in value)
    .map(({ name, value }) => `${name}: ${cut(str(value.value), MOST_NAME)}`);
}

/** Printed line of a node, or null if the node is not printed. */
function lineOf(id: string, source: AxNode): string | null {
  const role = source.role?.value;
  const name = source.name?.value;
  // Chromium's names are strings. In a recorded tree they may be anything; the original then fails and drops the node.
  if (role === undefined || typeof name !== 'string') return null;
  const properties = propertyTexts(source);
  if (isBlank(name) && (properties.length === 0 ? droppedWhenBlank.has(role) : role === 'listitem')) return null;
  return [`[${id}] ${role} ${repr(cut(name, MOST_NAME))}`, ...properties].join(' ');
}

class Printer {
  readonly printed = new Map<string, PrintedNode>();
  readonly lines: string[] = [];

  constructor(private readonly nodes: Map<string, Node>) {}

  print(id: string, depth: number): void {
    const node = this.nodes.get(id);
    if (!node) return;
    const line = lineOf(id, node.source);
    if (line !== null) this.lines.push('\t'.repeat(depth) + line);
    // The original prints a node without a DOM element and then fails on it, so that its children are not indented
    // further.
    const backendId = node.source.backendDOMNodeId;
    const counts = line !== null && backendId !== undefined;
    if (counts) this.printed.set(id, { id, text: line, backendId, box: node.box });
    for (const child of node.children) this.print(child, counts ? depth + 1 : depth);
  }
}

const staticText = /\[\p{Nd}+\] StaticText (.+)/su;

/** Drops static text that is already contained in one of the three preceding lines. */
function cleanLines(lines: readonly string[]): string[] {
  const kept: string[] = [];
  for (const line of lines) {
    if (!line.toLowerCase().includes('statictext')) {
      kept.push(line);
      continue;
    }
    // Drops the first and last code point, which are the quotes if the line has no properties.
    const text = [...(staticText.exec(line)?.[1] ?? '')].slice(1, -1).join('');
    if (text && kept.slice(-3).every((before) => !before.includes(text))) kept.push(line);
  }
  return kept;
}

function tabLine({ titles, current }: TabTitles): string {
  if (titles.includes(null)) return titles.map(() => 'Tab {idx}').join(' | ');
  return titles
    .map((title, k) => `Tab ${k}${k === current ? ' (current)' : ''}: ${cut(title ?? '', MOST_NAME)}`)
    .join(' | ');
}

function checkScreen({ layoutWidth, devicePixelRatio }: ScreenFacts): void {
  if (layoutWidth === 0) throw new ObservationError('ZeroDivisionError', 'float division by zero');
  if (devicePixelRatio !== 1) throw new ObservationError('AssertionError', 'devicePixelRatio is not 1.0');
}

/** Prints the tree below its first node. `currentViewportOnly` removes nodes outside the screen. */
export function treeText(
  tree: readonly AxNode[],
  boxOf: (node: AxNode) => Box,
  tabs: TabTitles,
  screen: ScreenFacts,
  currentViewportOnly: boolean,
): TreeText {
  checkScreen(screen);
  const nodes = takeNodes(tree, boxOf);
  if (currentViewportOnly) dropUnseen(nodes, screen);
  const [root] = nodes.keys();
  if (root === undefined) throw new ObservationError('IndexError', 'list index out of range');
  const printer = new Printer(nodes);
  printer.print(root, 0);
  const lines = cleanLines(printer.lines.join('\n').split('\n'));
  return { text: cut(`${tabLine(tabs)}\n\n${lines.join('\n')}`, MOST_TEXT), nodes: printer.printed };
}

/**
 * Undoes two changes of Chromium since the version WebArena was built on: the role `image` (was `img`) and the property
 * `url`.
 */
export function withPublishedRoles(tree: readonly AxNode[]): AxNode[] {
  return tree.map((node) => ({
    ...node,
    role: node.role?.value === 'image' ? { value: 'img' } : node.role,
    properties: node.properties?.filter(({ name }) => name !== 'url'),
  }));
}
