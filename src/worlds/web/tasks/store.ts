/** Shared by the tasks of the shop and of its administration: their store, and the construction of their templates. */
import type { Random } from '../sites/random.ts';
import { shop } from '../sites/shop/index.ts';
import type { SeededStore, StoreState } from '../sites/shop/store.ts';
import type { DrawContext, MadeTask, Template } from './template.ts';

export interface Here {
  store: SeededStore;
  state: StoreState;
  random: Random;
}

const here = ({ net, random }: DrawContext): Here => {
  const store = net.dataOf<SeededStore>(shop);
  return { store, state: shop.start(store) as StoreState, random };
};

type Draw = (context: Here) => Omit<MadeTask, 'start'> | null;

const make =
  (site: 'shop' | 'shop_admin', start: string) =>
  (name: string, turns: Template['turns'], draw: Draw, more: Partial<Template> = {}): Template => ({
    name: `${site === 'shop' ? 'shop' : 'admin'}-${name}`,
    sites: [site],
    turns,
    feasible: true,
    ...more,
    draw: (context) => {
      const made = draw(here(context));
      return made && { start: [start], ...made };
    },
  });

export const home = 'http://shop.test/';
export const admin = 'http://admin.test/';
export const inShop = make('shop', home);
export const inAdmin = make('shop_admin', admin);

export const pick = <T>(random: Random, from: readonly T[]): T | null => (from.length ? random.pick(from) : null);
export const productOf = ({ state, random }: Here) => random.pick(state.products);
