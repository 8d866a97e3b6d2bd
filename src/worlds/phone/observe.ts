/** A screen as text: every element with its kind, text, state and box, or numbered names in a few words. */
import { boxOf, type Layout, type Placed } from './layout.ts';
import type { Phone } from './phone.ts';
import type { Item } from './screen.ts';

const quoted = (text: string) => `"${text}"`;

function lineOf({ item, number, ...rectangle }: Placed): string {
  const { kind, text, detail, state } = item;
  const extra = detail ? ` ${quoted(detail)}` : kind === 'field' ? ' ""' : '';
  return `${number || '-'} ${kind} ${quoted(text)}${extra}${state ? ` ${state}` : ''} [${boxOf(rectangle).join(',')}]`;
}

const names = (items: readonly Item[]) => items.map(({ text }) => quoted(text)).join(', ');

const appOf = (phone: Phone) => phone.ui.app ?? 'home';

/** Maximum number of elements beyond the fold that a text names. */
const mostNamed = 12;

function foldLine(layout: Layout, side: 'above' | 'below'): string[] {
  const items = layout[side];
  if (!items.length) return [];
  const more = items.length > mostNamed ? ` and ${items.length - mostNamed} more` : '';
  const scroll = side === 'below' ? 'up' : 'down';
  return [`${side === 'below' ? 'Below' : 'Above'} (scroll ${scroll}): ${names(items.slice(0, mostNamed))}${more}`];
}

/** The screen in full. */
export function fullText(phone: Phone): string {
  const layout = phone.layout();
  const { overlay, toast, loading } = phone.ui;
  return [
    `App: ${appOf(phone)}. ${overlay ? `${overlay.kind === 'sheet' ? 'Sheet' : 'Dialog'}` : 'Screen'}: ${layout.title}.${loading ? ' Loading.' : ''}`,
    ...layout.placed.map(lineOf),
    ...foldLine(layout, 'above'),
    ...foldLine(layout, 'below'),
    ...(layout.keyboard ? ['The keyboard is shown.'] : []),
    ...(toast ? [`Notice: ${toast}`] : []),
  ].join('\n');
}

/** Short details that a tiny policy reads: numbers, and what is in a field. */
const isShort = ({ kind, detail }: Item) => kind === 'field' || /\d/.test(detail ?? '');

function briefElement({ item, number }: Placed): string {
  const detail = isShort(item) && item.detail ? ` ${item.detail}` : '';
  // The number follows the name, so that a copy of what follows a name in the goal is the number.
  return `${item.text}${number ? ` ${number}` : ''}${detail}${item.state ? ` ${item.state}` : ''}`;
}

/** The screen in a few words. The way back has its own action, so that its button is left out. */
export function briefText(phone: Phone): string {
  const { title, placed, above, below } = phone.layout();
  const shown = placed.filter(({ item }) => item.key !== 'Back' && item.kind !== 'bubble').map(briefElement);
  const more = `${above.length ? ' ; above' : ''}${below.length ? ' ; below' : ''}`;
  const { toast } = phone.ui;
  return `${title} : ${shown.join(' , ')}${more}${toast ? ` ; ${toast}` : ''}`;
}
