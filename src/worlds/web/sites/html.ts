/**
 * Writes the HTML of a site's pages. Texts are escaped on insertion. There is no white space between elements, so that
 * a page's tree does not depend on a browser's rules for it. Uses only elements whose roles and names
 * `accessibility.ts` supports.
 */

/** HTML that is already escaped. */
export interface Markup {
  readonly html: string;
}

export type Content = Markup | string | number | null | undefined | false | readonly Content[];

const escapeHtml = (text: string) =>
  text.replace(/[&<>"]/g, (character) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[character]!);

function write(content: Content): string {
  if (content === null || content === undefined || content === false) return '';
  if (typeof content === 'string' || typeof content === 'number') return escapeHtml(String(content));
  if ('html' in content) return content.html;
  return content.map(write).join('');
}

type Attributes = { [name: string]: string | number | boolean | null | undefined };
const voidElements = new Set(['input', 'br', 'hr', 'img', 'meta']);

/**
 * An element: `el('p', {class: 'price'}, '$5.00')`. False and null attributes are omitted; true ones are written
 * without a value.
 */
export function el(tag: string, attributes: Attributes = {}, ...content: Content[]): Markup {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== false && value !== null && value !== undefined)
    .map(([name, value]) => (value === true ? ` ${name}` : ` ${name}="${escapeHtml(String(value))}"`))
    .join('');
  const open = `<${tag}${written}>`;
  return { html: voidElements.has(tag) ? open : `${open}${write(content)}</${tag}>` };
}

export const p = (...content: Content[]) => el('p', {}, ...content);
const h1 = (...content: Content[]) => el('h1', {}, ...content);
export const h2 = (...content: Content[]) => el('h2', {}, ...content);
export const link = (href: string, text: string | number) => el('a', { href }, text);
export const list = (items: readonly Content[]) =>
  items.length ? el('ul', {}, ...items.map((item) => el('li', {}, item))) : null;
export const status = (text: string) => el('p', { role: 'status', class: 'status' }, text);
export const alert = (text: string) => el('p', { role: 'alert', class: 'alert' }, text);

/** A description list of keys and values. */
export const facts = (entries: readonly (readonly [string, Content])[], attributes: Attributes = {}) =>
  el('dl', attributes, ...entries.flatMap(([key, value]) => [el('dt', {}, key), el('dd', {}, value)]));

export function table(caption: string, heads: readonly string[], rows: readonly (readonly Content[])[]): Markup {
  return el(
    'table',
    {},
    el('caption', {}, caption),
    el('thead', {}, el('tr', {}, ...heads.map((head) => el('th', {}, head)))),
    el('tbody', {}, ...rows.map((row) => el('tr', {}, ...row.map((cell) => el('td', {}, cell))))),
  );
}

/** A form that sends its fields to `action`. */
export const form = (method: 'get' | 'post', action: string, ...content: Content[]) =>
  el('form', { method, action }, ...content);
export const submit = (text: string) => el('button', { type: 'submit' }, text);
/** A form with a single button. */
export const act = (action: string, text: string, fields: { [name: string]: string } = {}) =>
  form('post', action, ...hidden(fields), submit(text));

export const hidden = (fields: { [name: string]: string }) =>
  Object.entries(fields).map(([name, value]) => el('input', { type: 'hidden', name, value }));

interface FieldOptions {
  type?: 'text' | 'password';
  value?: string;
  required?: boolean;
}

export function field(label: string, name: string, { type = 'text', value, required }: FieldOptions = {}): Markup {
  return el(
    'p',
    {},
    el('label', { for: `f-${name}` }, label),
    el('input', { id: `f-${name}`, name, type, value, required }),
  );
}

export function area(label: string, name: string, value = ''): Markup {
  return el('p', {}, el('label', { for: `f-${name}` }, label), el('textarea', { id: `f-${name}`, name }, value));
}

/** A group of radio buttons. */
export function choice(
  legend: string,
  name: string,
  options: readonly (readonly [value: string, label: string])[],
  chosen?: string,
): Markup {
  const one = ([value, label]: readonly [string, string]) =>
    el('p', {}, el('label', {}, el('input', { type: 'radio', name, value, checked: value === chosen }), label));
  return el('fieldset', {}, el('legend', {}, legend), ...options.map(one));
}

export function check(label: string, name: string, checked = false): Markup {
  return el('p', {}, el('label', {}, el('input', { type: 'checkbox', name, value: 'yes', checked }), label));
}

/** A search box with its button. */
export function searchForm(action: string, label: string, value = '', name = 'q'): Markup {
  return el(
    'form',
    { method: 'get', action, role: 'search' },
    el('input', { type: 'text', name, 'aria-label': label, value }),
    submit('Search'),
  );
}

export interface Frame {
  site: string;
  /** Navigation links of every page. */
  nav: readonly (readonly [href: string, text: string])[];
  /** Content beside the navigation links: a search box. */
  beside?: Content;
}

/** A complete page: the site's navigation, then the page's own content. */
export function page(frame: Frame, title: string, ...content: Content[]): { title: string; html: string } {
  const whole = title === frame.site ? title : `${title} - ${frame.site}`;
  const body = write([
    el('nav', { 'aria-label': frame.site }, ...frame.nav.map(([href, text]) => link(href, text))),
    frame.beside,
    el('main', {}, h1(title), ...content),
  ]);
  return { title: whole, html: body };
}

/** Links to the pages of a long list; empty if there is only one page. */
export function pager(of: number, size: number, at: number, hrefOf: (page: number) => string): Content {
  const pages = Math.ceil(of / size);
  if (pages <= 1) return null;
  return p(
    `Page ${at} of ${pages} `,
    at > 1 && link(hrefOf(at - 1), 'Previous page'),
    at > 1 && at < pages && ' ',
    at < pages && link(hrefOf(at + 1), 'Next page'),
  );
}

/** Page number from a query, limited to 1 to `last`. */
export function pageNumber(text: string | undefined, last: number): number {
  const number = /^\d{1,6}$/.test(text ?? '') ? Number(text) : 1;
  return Math.min(Math.max(1, number), Math.max(1, last));
}

export const money = (cents: number) => `$${(cents / 100).toFixed(2)}`;
export const query = (fields: { [name: string]: string | number }) =>
  Object.entries(fields)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value).replaceAll('%20', '+')}`)
    .join('&');
export const slugOf = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
