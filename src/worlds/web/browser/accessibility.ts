/**
 * Accessibility tree of one of our pages, in the format of Chromium's protocol (Chromium's names and order of roles and
 * properties, as of Chromium 156), and the position of each node on the screen. Accessible names come from
 * dom-accessibility-api. Works on any DOM: a frame's own, or a library's on Node. The content of fields is passed
 * separately.
 *
 * The layout follows fixed rules instead of measurements: a block begins a new line, a line holds 120 characters, a
 * table's row is one line. A frame and Node therefore agree on the visible part of a page.
 */
import { computeAccessibleName } from 'dom-accessibility-api';
import type { AxNode, Box } from '../../../webarena/tree-text.ts';

/** Current state of a control, if it differs from the page's HTML. */
export interface ControlState {
  value?: string;
  checked?: boolean;
}

/** Changed controls by their index in the document. */
export type Controls = { readonly [index: number]: ControlState };

export interface PageTree {
  nodes: AxNode[];
  /** Element of each node. For a text it is the element around it. */
  elements: Map<string, Element>;
  boxes: Map<string, Box>;
  lines: number;
}

export const lineHeight = 20;
const lineWidth = 120;
const screenWidth = 1280;

const controlSelector = 'input,textarea,button';

/** A list of a page's elements, searched once: documents are never modified, and a key that is typed needs several. */
function searchedOnce(search: (document: Document) => readonly Element[]): (document: Document) => readonly Element[] {
  const known = new WeakMap<Document, readonly Element[]>();
  return (document) => {
    const found = known.get(document) ?? search(document);
    known.set(document, found);
    return found;
  };
}

/** All controls of a page, in the order of the indices in `Controls`. */
export const controlsOf = searchedOnce((document) => [...document.querySelectorAll(controlSelector)]);

/** Roles of elements for which the tag alone decides. */
const rolesByTag: { [tag: string]: string } = {
  nav: 'navigation',
  main: 'main',
  header: 'banner',
  footer: 'contentinfo',
  aside: 'complementary',
  article: 'article',
  p: 'paragraph',
  ul: 'list',
  ol: 'list',
  li: 'listitem',
  dl: 'DescriptionList',
  dt: 'term',
  dd: 'definition',
  table: 'table',
  caption: 'caption',
  thead: 'rowgroup',
  tfoot: 'rowgroup',
  tr: 'row',
  th: 'columnheader',
  td: 'cell',
  form: 'form',
  fieldset: 'group',
  legend: 'Legend',
  label: 'LabelText',
  strong: 'strong',
  em: 'emphasis',
  code: 'code',
  blockquote: 'blockquote',
  hr: 'separator',
  time: 'time',
  textarea: 'textbox',
  button: 'button',
  div: 'generic',
  section: 'generic',
  pre: 'generic',
  h1: 'heading',
  h2: 'heading',
  h3: 'heading',
  h4: 'heading',
  h5: 'heading',
  h6: 'heading',
};
/** Tags that Chromium replaces by their children in the tree. */
const transparent = new Set(['span', 'tbody', 'b', 'i', 'small', 'body', 'u']);
const inline = new Set([
  'a',
  'span',
  'b',
  'i',
  'small',
  'strong',
  'em',
  'code',
  'label',
  'input',
  'button',
  'textarea',
  'time',
  'u',
  'td',
  'th',
  'br',
]);
const named = new Set([
  ...[
    'link',
    'button',
    'heading',
    'cell',
    'columnheader',
    'rowheader',
    'textbox',
    'checkbox',
    'radio',
    'table',
    'group',
  ],
  ...['navigation', 'region', 'search', 'form', 'article', 'main', 'list', 'banner', 'contentinfo', 'complementary'],
]);

const tagOf = (element: Element) => element.localName;

function roleOfInput(element: Element): string | null {
  const type = element.getAttribute('type') ?? 'text';
  if (type === 'hidden') return null;
  if (type === 'checkbox' || type === 'radio') return type;
  return type === 'submit' || type === 'button' ? 'button' : 'textbox';
}

const wrapsTick = (label: Element) => label.querySelector('input[type=checkbox],input[type=radio]') !== null;

/** Role of an element, or null if the tree contains only its children. */
export function roleOf(element: Element): string | null {
  const stated = element.getAttribute('role');
  if (stated) return stated;
  const tag = tagOf(element);
  if (tag === 'input') return roleOfInput(element);
  if (tag === 'a') return element.hasAttribute('href') ? 'link' : 'generic';
  if (tag === 'label' && wrapsTick(element)) return null;
  if (tag === 'th' && element.getAttribute('scope') === 'row') return 'rowheader';
  if (tag === 'section' && element.hasAttribute('aria-label')) return 'region';
  return transparent.has(tag) ? null : (rolesByTag[tag] ?? 'generic');
}

/** Our pages hide nothing by style, so computed styles are not needed. */
const noStyle = {
  getPropertyValue: () => '',
  display: '',
  visibility: '',
  content: '',
} as unknown as CSSStyleDeclaration;
const naming = { getComputedStyle: () => noStyle };
const collapse = (text: string) => text.replace(/[ \t\n\r\f]+/g, ' ');

function nameOf(element: Element, role: string): string {
  if (role === 'term') return collapse(element.textContent ?? '').trim();
  if (!named.has(role)) return '';
  // Chromium derives no name for a cell that contains a form.
  if (role === 'cell' && element.querySelector('form')) return '';
  // Fast path for most names: the text of an element without children.
  if (!element.attributes.length || tagOf(element) === 'a')
    if (!element.children.length && /^(?:link|heading|cell|columnheader)$/.test(role))
      return collapse(element.textContent ?? '').trim();
  return computeAccessibleName(element, naming);
}

type Property = { name: string; value: { value: string | number | boolean } };
const prop = (name: string, value: string | number | boolean): Property => ({ name, value: { value } });

/** Printed properties of an element, in Chromium's order. */
function propertiesOf(element: Element, role: string, focused: boolean, checked: boolean): Property[] {
  const found: Property[] = [];
  if (element.hasAttribute('disabled')) found.push(prop('disabled', true));
  if (focused) found.push(prop('focused', true));
  if (role === 'status') found.push(prop('live', 'polite'), prop('atomic', true), prop('relevant', 'additions text'));
  if (role === 'alert') found.push(prop('live', 'assertive'), prop('atomic', true), prop('relevant', 'additions text'));
  if (role === 'textbox' || role === 'columnheader' || role === 'rowheader')
    found.push(prop('required', element.hasAttribute('required')));
  if (role === 'checkbox' || role === 'radio') found.push(prop('checked', checked ? 'true' : 'false'));
  if (role === 'separator') found.push(prop('orientation', 'horizontal'));
  return found;
}

export function initialValue(element: Element): string {
  return tagOf(element) === 'textarea' ? (element.textContent ?? '') : (element.getAttribute('value') ?? '');
}

export const isTicked = (element: Element, control: ControlState | undefined) =>
  control?.checked ?? element.hasAttribute('checked');
export const fieldValue = (element: Element, control: ControlState | undefined) =>
  control?.value ?? initialValue(element);

class TreeBuilder {
  readonly nodes: AxNode[] = [];
  readonly elements = new Map<string, Element>();
  readonly boxes = new Map<string, Box>();
  private next = 1;
  private line = 0;
  /** Characters on the current line; 0 if it is empty. */
  private used = 0;
  private readonly indexOf: Map<Element, number>;

  constructor(
    private readonly document: Document,
    private readonly controls: Controls,
    private readonly focused: number | null,
  ) {
    this.indexOf = new Map(controlsAndLinks(document).map((element, k) => [element, k]));
    this.controlIndex = new Map(controlsOf(document).map((element, k) => [element, k]));
  }
  private readonly controlIndex: Map<Element, number>;

  build(title: string): PageTree {
    const root = this.open(undefined);
    this.fill(root, 'RootWebArea', title, [prop('focused', true)]);
    for (const child of [...this.document.body.childNodes]) this.visit(child, root, [0, 0]);
    this.breakLine();
    this.boxes.set(root.nodeId, [0, 0, 10, 10]);
    return { nodes: this.nodes, elements: this.elements, boxes: this.boxes, lines: this.line };
  }

  private open(parent: AxNode | undefined): AxNode {
    const id = String(this.next++);
    const node: AxNode = { nodeId: id, childIds: [], parentId: parent?.nodeId, backendDOMNodeId: Number(id) };
    (parent?.childIds as string[] | undefined)?.push(id);
    this.nodes.push(node);
    return node;
  }

  private fill(node: AxNode, role: string, name: string, properties: Property[] = []): void {
    node.role = { value: role };
    node.name = { value: name };
    node.properties = properties;
  }

  private breakLine(): void {
    if (this.used > 0) this.line++;
    this.used = 0;
  }

  private advance(characters: number): [number, number] {
    const first = this.used >= lineWidth ? ++this.line : this.line;
    if (this.used >= lineWidth) this.used = 0;
    this.used += Math.max(1, characters);
    while (this.used > lineWidth) {
      this.used -= lineWidth;
      this.line++;
    }
    return [first, this.line];
  }

  private place(node: AxNode, [first, last]: readonly [number, number]): void {
    this.boxes.set(node.nodeId, [0, first * lineHeight, screenWidth, (last - first + 1) * lineHeight]);
  }

  private visit(child: ChildNode, parent: AxNode, _span: readonly [number, number]): void {
    if (child.nodeType === 3) this.visitText(child as Text, parent);
    else if (child.nodeType === 1) this.visitElement(child as Element, parent);
  }

  private visitText(text: Text, parent: AxNode): void {
    const value = collapse(text.data);
    const around = text.parentElement;
    // The text of a label around a checkbox or radio button is already the control's name, so it is not printed again.
    if (!value || (around && tagOf(around) === 'label' && wrapsTick(around))) {
      this.advance(value.length);
      this.next++;
      return;
    }
    this.addText(value, parent, around);
  }

  private addText(value: string, parent: AxNode, element: Element | null): void {
    const node = this.open(parent);
    this.fill(node, 'StaticText', value);
    if (element) this.elements.set(node.nodeId, element);
    this.place(node, this.advance(value.length));
  }

  private visitElement(element: Element, parent: AxNode): void {
    const tag = tagOf(element);
    if (element.hasAttribute('hidden') || tag === 'script' || tag === 'style') return;
    const role = roleOf(element);
    const isBlock = !inline.has(tag);
    if (isBlock) this.breakLine();
    if (tag === 'br') this.lineBreak(parent);
    else if (role === null) this.children(element, parent);
    else this.element(element, role, parent);
    if (isBlock) this.breakLine();
  }

  private lineBreak(parent: AxNode): void {
    const node = this.open(parent);
    this.fill(node, 'LineBreak', '\n');
    this.place(node, [this.line, this.line]);
    this.breakLine();
  }

  private children(element: Element, parent: AxNode): void {
    if (tagOf(element) === 'input') this.next++;
    for (const child of [...element.childNodes]) this.visit(child, parent, [0, 0]);
  }

  private element(element: Element, role: string, parent: AxNode): void {
    const node = this.open(parent);
    const first = this.line;
    const at = this.controlIndex.get(element);
    const control = at === undefined ? undefined : this.controls[at];
    const focused = this.focused !== null && this.indexOf.get(element) === this.focused;
    this.fill(node, role, nameOf(element, role), propertiesOf(element, role, focused, isTicked(element, control)));
    this.elements.set(node.nodeId, element);
    if (role === 'textbox') this.textbox(element, fieldValue(element, control), node);
    else if (role === 'checkbox' || role === 'radio') this.advance(2);
    else if (tagOf(element) === 'input') this.addText(initialValue(element), node, element);
    else this.children(element, node);
    this.place(node, [first, this.used === 0 && this.line > first ? this.line - 1 : this.line]);
  }

  /** Adds a text field. Chromium inserts an inner element of its own between the field and its text. */
  private textbox(element: Element, value: string, node: AxNode): void {
    const inner = this.open(node);
    this.fill(inner, 'generic', '');
    this.elements.set(inner.nodeId, element);
    const shown = element.getAttribute('type') === 'password' ? '•'.repeat([...value].length) : value;
    const span = this.advance(24);
    const lines = shown === '' ? [] : shown.split('\n');
    for (const [k, line] of lines.entries()) {
      if (k > 0) this.addInside(inner, 'LineBreak', '\n', element, span);
      if (line) this.addInside(inner, 'StaticText', line, element, span);
    }
    this.place(inner, span);
  }

  private addInside(parent: AxNode, role: string, name: string, element: Element, span: [number, number]): void {
    const node = this.open(parent);
    this.fill(node, role, name);
    this.elements.set(node.nodeId, element);
    this.place(node, span);
  }
}

/** Focusable elements in the order of the Tab key. */
export const controlsAndLinks = searchedOnce((document) =>
  [...document.querySelectorAll(`a[href],${controlSelector}`)].filter(
    (element) => element.getAttribute('type') !== 'hidden',
  ),
);

/** Builds the tree of a page. `focused` is the index of the focused element in `controlsAndLinks`. */
export function pageTree(document: Document, title: string, controls: Controls, focused: number | null): PageTree {
  return new TreeBuilder(document, controls, focused).build(title);
}
