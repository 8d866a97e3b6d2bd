/**
 * Runs that the site ships, by the name that a link has for them (`shipped=NAME`): an agent of the gallery, or what a lesson recorded. A link to
 * such a run needs no file to be sent along: whoever opens it fetches the run from the same site. Loaded when a link asks.
 */
import { msg, str } from '@lit/localize';
import type { RunSummary, TrainerApi } from '../../session/protocol.ts';
import { agentsFolder } from '../../session/shipped-agent.ts';
import { fetchAgent, fetchGallery } from './shipped-agents.ts';

interface Shipped {
  path: string;
  /** What it is called as a run of this browser, in front of what the person made of it. */
  title: string;
}

/** Lesson 10's, and how its run is called: docs/lessons.md says what it is. */
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

/** Takes a shipped run in, as an import of a file would, where none of `runs` is it. Gives its id here. */
export async function importShipped(api: TrainerApi, name: string, runs: readonly RunSummary[]): Promise<string> {
  const { path, title } = await placeOf(name);
  const file = path.split('/').at(-1)!;
  const known = runs.find(
    ({ origin, deletedUntil }) => deletedUntil === null && origin.kind === 'import' && origin.file === file,
  );
  if (known) return known.id;
  const response = await fetch(path).catch(() => null);
  if (!response?.ok) {
    const why = response ? String(response.status) : msg('no connection');
    throw new Error(msg(str`${path} could not be loaded (${why}). Try again.`));
  }
  const { id } = await api.importRun(await response.blob(), file);
  await api.rename(id, title);
  return id;
}

/** The name by which this site ships a run that was imported; null: it does not, or cannot be asked. */
export async function shippedName({ origin }: RunSummary): Promise<string | null> {
  if (origin.kind !== 'import' || !origin.run) return null;
  if (origin.file === adapterRun.path.split('/').at(-1) || origin.file === adapterRun.title) return adapterRun.name;
  const name = origin.file.replace(/\.tabgym$/, '');
  const gallery = await fetchGallery().catch(() => []);
  return gallery.some((agent) => agent.name === name) ? name : null;
}
