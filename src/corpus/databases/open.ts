/** Opens the kept databases of this place: the browser's, or those of the corpora folder on Node. */
import type { DatabaseStore } from './store.ts';

let opened: Promise<DatabaseStore> | null = null;

async function openHere(): Promise<DatabaseStore> {
  if (import.meta.env.SSR) return new (await import('./folder.ts')).FolderDatabases();
  return (await import('./browser.ts')).BrowserDatabases.open();
}

export function openDatabases(): Promise<DatabaseStore> {
  opened ??= openHere();
  opened.catch(() => {
    opened = null;
  });
  return opened;
}
