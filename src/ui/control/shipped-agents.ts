/**
 * Files of the trained agents that the site ships: the list, an agent's card, its run and its curves, each fetched when
 * it is needed.
 */
import {
  agentsFolder,
  type ListedAgent,
  readAgent,
  readGallery,
  type ShippedAgent,
} from '../../session/shipped-agent.ts';
import { fetchSiteFile, fetchSiteJson } from './site-file.ts';

export const fetchGallery = async (): Promise<readonly ListedAgent[]> =>
  readGallery(await fetchSiteJson(`${agentsFolder}/index.json`));

export const fetchAgent = async (name: string): Promise<ShippedAgent> =>
  readAgent(await fetchSiteJson(`${agentsFolder}/${name}/agent.json`), `${name}/agent.json`);

export const curvesOf = (name: string) => `${agentsFolder}/${name}/curves.svg`;

export const fetchAgentRun = async (name: string, { file }: Pick<ShippedAgent, 'file'>): Promise<Blob> =>
  (await fetchSiteFile(`${agentsFolder}/${name}/${file}`)).blob();

/** Held-out task with which an agent of the site is shown; 0 for a run that is none. */
export const firstTask = (name: string | null): Promise<number> =>
  name === null
    ? Promise.resolve(0)
    : fetchAgent(name).then(
        (agent) => agent.firstTask ?? 0,
        () => 0,
      );
