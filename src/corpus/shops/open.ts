/** Opens the kept shops of this place: the browser's, or those of the corpora folder on Node. */
import { openOnce } from '../open-once.ts';
import type { ShopStore } from './store.ts';

export const openShops = openOnce<ShopStore>(async () =>
  import.meta.env.SSR ? new (await import('./folder.ts')).FolderShops() : (await import('./browser.ts')).browserShops(),
);
