/** Opens the kept databases of this place: the browser's, or those of the corpora folder on Node. */
import { openOnce } from '../open-once.ts';
import type { DatabaseStore } from './store.ts';

export const openDatabases = openOnce<DatabaseStore>(async () =>
  import.meta.env.SSR
    ? new (await import('./folder.ts')).FolderDatabases()
    : (await import('./browser.ts')).browserDatabases(),
);
