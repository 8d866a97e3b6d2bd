/** Kept databases in the browser. */
import { KeptInBrowser } from '../kept-browser.ts';
import { type DatabaseStore, type DatabaseWithQuestions, type KeptDatabase, noDatabase } from './store.ts';

export const browserDatabases = (): Promise<DatabaseStore> =>
  KeptInBrowser.open<KeptDatabase, DatabaseWithQuestions>({
    database: 'tabgym-databases',
    store: 'databases',
    what: 'Databases',
    absent: noDatabase,
    facts: (name, { bytes, questions }) => ({ name, bytes: bytes.length, questions: questions.length }),
  });
