/** Opens the kept shops of this place: the browser's, once, or on Node those of the folder that TABGYM_CORPORA names now. */
import { openOnce } from '../open-once.ts';
import type { ShopStore } from './store.ts';

export const openShops: () => Promise<ShopStore> = import.meta.env.SSR
  ? async () => new (await import('./folder.ts')).FolderShops()
  : openOnce(async () => (await import('./browser.ts')).browserShops());
