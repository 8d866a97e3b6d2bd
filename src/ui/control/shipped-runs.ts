/**
 * Runs that the site ships, by the name they have in a link (`shipped=NAME`): an agent of the gallery, or the recorded
 * run of a lesson. A link to such a run needs no attached file, since its reader fetches the run from the same site.
 * Loaded when a link names one.
 */
import type { RunSummary, TrainerApi } from '../../session/protocol.ts';
import { agentsFolder } from '../../session/shipped-agent.ts';
import { fetchAgent, fetchGallery } from './shipped-agents.ts';
import { fetchSiteFile } from './site-file.ts';

interface Shipped {
  path: string;
  /** Title as a run of this browser. */
  title: string;
}

/** Run of lesson 10 (docs/lessons.md). */
export const adapterRun: Shipped & { name: string } = {
  name: 'adapter-run',
  path: 'lessons/adapter-run.tabgym',
  title: 'Recorded: an adapter beside frozen weights',
};

async function placeOf(name: string): Promise<Shipped> {
  if (name === adapterRun.name) return adapterRun;
  const { file, title } = await fetchAgent(name);
  return { path: `${agentsFolder}/${name}/${file}`, title };
}

/** Imports a shipped run, unless one of `runs` is a copy of it. Returns its id here. */
export async function importShipped(api: TrainerApi, name: string, runs: readonly RunSummary[]): Promise<string> {
  const { path, title } = await placeOf(name);
  const file = path.split('/').at(-1)!;
  const known = runs.find(
    ({ origin, deletedUntil }) => deletedUntil === null && origin.kind === 'import' && origin.file === file,
  );
  if (known) return known.id;
  const response = await fetchSiteFile(path);
  const { id } = await api.importRun(await response.blob(), file);
  await api.rename(id, title);
  return id;
}

/** Name by which this site ships an imported run; null if it does not, or if the list cannot be loaded. */
export async function shippedName({ origin }: RunSummary): Promise<string | null> {
  if (origin.kind !== 'import' || !origin.run) return null;
  if (origin.file === adapterRun.path.split('/').at(-1) || origin.file === adapterRun.title) return adapterRun.name;
  const name = origin.file.replace(/\.tabgym$/, '');
  const gallery = await fetchGallery().catch(() => []);
  return gallery.some((agent) => agent.name === name) ? name : null;
}
