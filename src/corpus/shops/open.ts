/** Opens the kept shops of this place: the browser's, or those of the corpora folder on Node. */
import type { ShopStore } from './store.ts';

let opened: Promise<ShopStore> | null = null;

async function openHere(): Promise<ShopStore> {
  if (import.meta.env.SSR) return new (await import('./folder.ts')).FolderShops();
  return (await import('./browser.ts')).BrowserShops.open();
}

export function openShops(): Promise<ShopStore> {
  opened ??= openHere();
  opened.catch(() => {
    opened = null;
  });
  return opened;
}
