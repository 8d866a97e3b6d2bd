/** Opens the kept databases of this place: the browser's, once, or on Node those of the folder that TABGYM_CORPORA names now. */
import { openOnce } from '../open-once.ts';
import type { DatabaseStore } from './store.ts';

export const openDatabases: () => Promise<DatabaseStore> = import.meta.env.SSR
  ? async () => new (await import('./folder.ts')).FolderDatabases()
  : openOnce(async () => (await import('./browser.ts')).browserDatabases());
