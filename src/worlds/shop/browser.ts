/**
 * What an agent does in the shop: the pages that it is on, and the effect of `search[words]` and `click[thing]`
 * (`web_agent_site/envs/web_agent_text_env.py`, github.com/princeton-nlp/WebShop, MIT).
 */
import type { Product } from '../../corpus/shops/product.ts';
import type { ShopOptions } from './options.ts';
import {
  donePage,
  itemPage,
  type Piece,
  resultsPage,
  type SubPage,
  searchPage,
  subPage,
  subPages,
} from './pages/page.ts';
import { clickables } from './pages/text.ts';
import type { Catalogue } from './store.ts';

export type Place = 'start' | 'results' | 'item' | 'sub' | 'done';

/** An action as the shop reads it: name and argument. */
export interface Command {
  name: 'search' | 'click';
  argument: string;
}

/** WebShop's pattern: everything up to the last opening bracket is the name, and text after the last bracket is ignored. */
export function readCommand(action: string): Command | null {
  // `^(.+)\[(.+)\]`, which is quadratic on many opening brackets. Only the first line counts.
  const line = /^.*/.exec(action)![0];
  const end = line.lastIndexOf(']');
  const begin = end < 0 ? -1 : line.lastIndexOf('[', end - 2);
  const name = line.slice(0, Math.max(begin, 0));
  if (name !== 'search' && name !== 'click') return null;
  return { name, argument: line.slice(begin + 1, end).toLowerCase() };
}

/** Short form of the button of the nth product on a page. */
const placeButton = /^item (\d{1,2})$/;

export class ShopBrowser {
  place: Place = 'start';
  /** Words of the last search, and what it found. */
  words = '';
  found: readonly Product[] = [];
  page = 1;
  product: Product | null = null;
  sub: SubPage = 'description';
  chosen = new Map<string, string>();
  readonly visited = new Set<string>();
  reward = 0;

  constructor(
    private readonly catalogue: Catalogue,
    private readonly instruction: string,
    private readonly options: ShopOptions,
  ) {}

  /** Products of the current page of results. */
  get listed(): readonly Product[] {
    const { perPage } = this.options;
    return this.found.slice((this.page - 1) * perPage, this.page * perPage);
  }

  pieces(): Piece[] {
    const { instruction, product, chosen } = this;
    if (this.place === 'start') return searchPage(instruction);
    if (this.place === 'results') return resultsPage(instruction, this.listed, this.page, this.found.length);
    if (this.place === 'item') return itemPage(instruction, product!, chosen, this.options.upstream);
    if (this.place === 'sub') return subPage(instruction, product!, this.sub);
    return donePage(product!.asin, chosen, this.reward);
  }

  /** Takes a command. Returns false if the page does not have it, or `buy` if the product is bought. */
  take({ name, argument }: Command): boolean | 'buy' {
    if (name === 'search') {
      if (this.place !== 'start' && !this.options.upstream) return false;
      this.search(argument);
      return true;
    }
    const place = this.options.observation === 'brief' && placeButton.exec(argument);
    if (place && this.place === 'results') return this.visit(this.listed[Number(place[1]) - 1]);
    const pieces = clickables(this.pieces()).get(argument);
    if (!pieces || argument === 'search') return false;
    return this.click(argument, pieces);
  }

  private search(words: string): void {
    this.words = words;
    this.found = this.catalogue.search(words, this.options.results);
    this.results(1);
  }

  private results(page: number): void {
    this.place = 'results';
    this.page = page;
    this.product = null;
    this.chosen = new Map();
  }

  private visit(product: Product | undefined): boolean {
    if (!product) return false;
    this.product = product;
    this.visited.add(product.asin);
    this.place = 'item';
    return true;
  }

  private click(text: string, pieces: readonly Piece[]): boolean | 'buy' {
    const piece = this.buttonOf(pieces);
    if (piece.role === 'link') return this.visit(this.catalogue.find(piece.text));
    if (piece.role === 'option') {
      this.chosen.set(piece.name!, text);
      this.place = 'item';
      return true;
    }
    if (text === 'buy now') return 'buy';
    if (text === 'back to search') this.restart();
    else if (text === 'next >') this.results(this.page + 1);
    else if (text === '< prev') this.back();
    else {
      this.sub = subPages.find((each) => each === text)!;
      this.place = 'sub';
    }
    return true;
  }

  /** The button among equal ones: of equal values of options, the first of an option that is open, or as upstream the last. */
  private buttonOf(pieces: readonly Piece[]): Piece {
    const button = pieces.find(({ role }) => role === 'button');
    if (button) return button;
    if (this.options.upstream) return pieces.at(-1)!;
    return pieces.find(({ name }) => name !== undefined && !this.chosen.has(name)) ?? pieces[0];
  }

  private restart(): void {
    this.place = 'start';
    this.words = '';
    this.found = [];
    this.page = 1;
    this.product = null;
    this.chosen = new Map();
    this.visited.clear();
  }

  private back(): void {
    if (this.place === 'sub') this.place = 'item';
    else this.results(this.place === 'item' ? this.page : this.page - 1);
  }
}
