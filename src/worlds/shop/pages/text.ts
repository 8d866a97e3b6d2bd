/** The two text forms of WebShop's pages, its list of buttons, and a short form for tiny policies. */
import type { Chosen } from '../../../corpus/shops/product.ts';
import { strip } from '../../../envs/reply.ts';
import { asciiJson, type Piece } from './page.ts';

/** State that the rich form marks: chosen options, and products that were visited. */
export interface Marks {
  chosen: Chosen;
  visited: ReadonlySet<string>;
  /** As upstream: a value counts as chosen if it stands in quotes in the address. */
  upstream: boolean;
}

export const simpleText = (page: readonly Piece[]): string => page.map(({ text }) => strip(text)).join(' [SEP] ');

function isChosen({ text, name }: Piece, { chosen, upstream }: Marks): boolean {
  if (!upstream) return chosen.get(name!) === text;
  const address = [...chosen].flat().map(asciiJson).join(' ');
  return address.includes(`"${text}"`);
}

export function richText(page: readonly Piece[], marks: Marks): string {
  let [clicked, observation] = ['', ''];
  for (const piece of page) {
    const { text, role } = piece;
    if (role === 'text') observation += `${text}\n`;
    else if (role === 'button') observation += `[button] ${text} [button_]\n`;
    else if (role === 'option') {
      const on = isChosen(piece, marks);
      if (on) clicked = `You have clicked ${text}.\n${clicked}`;
      observation += on ? `  [clicked button] ${text} [clicked button_]\n` : `  [button] ${text} [button_]\n`;
    } else {
      const word = marks.visited.has(text) ? 'clicked button' : 'button';
      observation += `\n[${word}] ${text} [${word}_]\n`;
    }
  }
  return clicked + observation;
}

/** Values of `click[...]` on a page, in WebShop's order: buttons, products, options. Equal ones are one button. */
export function clickables(page: readonly Piece[]): Map<string, Piece[]> {
  const found = new Map<string, Piece[]>();
  const add = (key: string, piece: Piece) => found.set(key, [...(found.get(key) ?? []), piece]);
  for (const piece of page) if (piece.role === 'button') add(piece.text.toLowerCase(), piece);
  for (const piece of page) if (piece.role === 'link') add(piece.text.toLowerCase(), piece);
  for (const piece of page) if (piece.role === 'option') add(piece.text, piece);
  return found;
}
