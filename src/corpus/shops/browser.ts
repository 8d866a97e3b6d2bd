/** Kept shops in the browser. */
import { KeptInBrowser } from '../kept-browser.ts';
import { instructionsIn, type KeptShop, noShop, type ShopStore } from './store.ts';
import type { BroughtShop } from './webshop-files.ts';

export const browserShops = (): Promise<ShopStore> =>
  KeptInBrowser.open<KeptShop, BroughtShop>({
    database: 'tabgym-shops',
    store: 'shops',
    what: 'Shops',
    absent: noShop,
    facts: (name, shop) => ({ name, products: shop.products.length, instructions: instructionsIn(shop) }),
  });
