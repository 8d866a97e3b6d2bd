/** Worker that imports, lists and deletes kept databases for the page. SQLite is loaded when a database is brought. */
import * as Comlink from 'comlink';
import { importDatabase } from '../corpus/databases/import.ts';
import { openDatabases } from '../corpus/databases/open.ts';
import type { DatabaseWorkerApi } from '../corpus/databases/store.ts';

const api: DatabaseWorkerApi = {
  async list() {
    return (await openDatabases()).list();
  },
  async remove(name) {
    await (await openDatabases()).remove(name);
  },
  async bring(name, database, questions) {
    const bytes = new Uint8Array(await database.arrayBuffer());
    const id = database.name.replace(/\.\w+$/, '');
    return importDatabase(await openDatabases(), { name, bytes, questions: await questions.text(), id });
  },
};

Comlink.expose(api);
