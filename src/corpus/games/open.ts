/** Opens the kept games of this place: the browser's, once, or on Node those of the folder that TABGYM_CORPORA names now. */
import { openOnce } from '../open-once.ts';
import type { GameStore } from './store.ts';

export const openGames: () => Promise<GameStore> = import.meta.env.SSR
  ? async () => new (await import('./folder.ts')).FolderGames()
  : openOnce(async () => (await import('./browser.ts')).browserGames());
