/** Opens the kept games of this place: the browser's, or those of the corpora folder on Node. */
import { openOnce } from '../open-once.ts';
import type { GameStore } from './store.ts';

export const openGames = openOnce<GameStore>(async () =>
  import.meta.env.SSR ? new (await import('./folder.ts')).FolderGames() : (await import('./browser.ts')).browserGames(),
);
