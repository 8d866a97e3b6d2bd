/** Kept games in the browser. */
import { KeptInBrowser } from '../kept-browser.ts';
import { type GameFile, type GameStore, type KeptGames, noGames } from './store.ts';

export const browserGames = (): Promise<GameStore> =>
  KeptInBrowser.open<KeptGames, readonly GameFile[]>({
    database: 'tabgym-games',
    store: 'games',
    what: 'Games',
    absent: noGames,
    facts: (name, games) => ({ name, games: games.length }),
  });
