/**
 * The text that WebArena's agent sees of a page, from an accessibility tree in Chromium's form: what is out of the viewport is taken
 * out, the rest printed a node a line, repeated static text dropped. The rules are those of browser_env/processors.py
 * (github.com/web-arena-x/webarena, Apache-2.0), its mistakes included. Knows no browser: the tree and the boxes are given.
 */
import { isBlank, repr, str, type Value } from './python.ts';

/** A node as the browser's protocol gives it (Accessibility.getFullAXTree). */
export interface AxNode {
  nodeId: string;
  role?: { value?: string };
  name?: { value?: string };
  properties?: readonly { name: string; value: { value?: Value } }[];
  childIds?: readonly string[];
  parentId?: string;
  backendDOMNodeId?: number;
}

/** x, y, width, height in pixels; null: it has none. */
export type Box = readonly [number, number, number, number] | null;

export interface TabTitles {
  /** null: asking for it failed. */
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

/** What can be acted on: the id as printed, its line and its box. */
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

/** The original stopped with an exception; `type` is its Python class. */
export class ObservationError extends Error {
  override name = 'ObservationError';
  constructor(
    readonly type: string,
    message: string,
  ) {
    super(message);
  }
}

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

/** Division and product in the original's order (`a / w * h`): almost any overlap keeps a node (webarena issue 178). */
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

/** Children of a node that is taken out stand in its place, in the order of the tree's own list. */
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
    // Those still pointing here fail as upstream does when they are dropped in turn: the parent is only marked there.
  }
}

/** What is printed behind a node's name. */
export function propertyTexts({ properties = [] }: AxNode): string[] {
  return properties
    .filter(({ name, value }) => !ignoredProperties.has(name) && 'value' in value)
    .map(({ name, value }) => `${name}: ${str(value.value)}`);
}

/** A node's line, or null where it has none. */
function lineOf(id: string, source: AxNode): string | null {
  const role = source.role?.value;
  const name = source.name?.value;
  // Chromium's names are texts; a recorded tree may hold anything, at which the original trips and drops the node.
  if (role === undefined || typeof name !== 'string') return null;
  const properties = propertyTexts(source);
  if (isBlank(name) && (properties.length === 0 ? droppedWhenBlank.has(role) : role === 'listitem')) return null;
  return [`[${id}] ${role} ${repr(name)}`, ...properties].join(' ');
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
    // A node of no element is printed and then trips the original: its children stay at its depth.
    const backendId = node.source.backendDOMNodeId;
    const counts = line !== null && backendId !== undefined;
    if (counts) this.printed.set(id, { id, text: line, backendId, box: node.box });
    for (const child of node.children) this.print(child, counts ? depth + 1 : depth);
  }
}

const staticText = /\[\p{Nd}+\] StaticText (.+)/su;

/** Drops static text that one of the three lines before already holds. */
export function cleanLines(lines: readonly string[]): string[] {
  const kept: string[] = [];
  for (const line of lines) {
    if (!line.toLowerCase().includes('statictext')) {
      kept.push(line);
      continue;
    }
    // The first and the last code point are cut off: the quotes, where the line has no properties.
    const text = [...(staticText.exec(line)?.[1] ?? '')].slice(1, -1).join('');
    if (text && kept.slice(-3).every((before) => !before.includes(text))) kept.push(line);
  }
  return kept;
}

export function tabLine({ titles, current }: TabTitles): string {
  if (titles.includes(null)) return titles.map(() => 'Tab {idx}').join(' | ');
  return titles.map((title, k) => `Tab ${k}${k === current ? ' (current)' : ''}: ${title}`).join(' | ');
}

function checkScreen({ layoutWidth, devicePixelRatio }: ScreenFacts): void {
  if (layoutWidth === 0) throw new ObservationError('ZeroDivisionError', 'float division by zero');
  if (devicePixelRatio !== 1) throw new ObservationError('AssertionError', 'devicePixelRatio is not 1.0');
}

/** Printed is from the tree's first node down; `currentViewportOnly` takes out what the screen does not show. */
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
  return { text: `${tabLine(tabs)}\n\n${lines.join('\n')}`, nodes: printer.printed };
}

/** What newer Chromium versions print otherwise than the one WebArena was built on: the role `image`, and addresses. */
export function asPublished(tree: readonly AxNode[]): AxNode[] {
  return tree.map((node) => ({
    ...node,
    role: node.role?.value === 'image' ? { value: 'img' } : node.role,
    properties: node.properties?.filter(({ name }) => name !== 'url'),
  }));
}
