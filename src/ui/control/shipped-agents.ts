/**
 * Files of the trained agents that the site ships: the list, an agent's card, its run and its curves, each fetched when
 * it is needed.
 */
import { msg, str } from '@lit/localize';
import {
  agentsFolder,
  type ListedAgent,
  readAgent,
  readGallery,
  type ShippedAgent,
} from '../../session/shipped-agent.ts';

async function fetched(path: string): Promise<Response> {
  const response = await fetch(path).catch(() => null);
  if (response?.ok) return response;
  const why = response ? String(response.status) : msg('no connection');
  throw new Error(msg(str`${path} could not be loaded (${why}). Try again.`));
}

/** A server may answer a request for a missing file with its front page. */
async function fetchedJson(path: string): Promise<unknown> {
  const response = await fetched(path);
  return response.json().catch(() => {
    throw new Error(msg(str`${path} has an unexpected format. Try again.`));
  });
}

export const fetchGallery = async (): Promise<readonly ListedAgent[]> =>
  readGallery(await fetchedJson(`${agentsFolder}/index.json`));

export const fetchAgent = async (name: string): Promise<ShippedAgent> =>
  readAgent(await fetchedJson(`${agentsFolder}/${name}/agent.json`), `${name}/agent.json`);

export const curvesOf = (name: string) => `${agentsFolder}/${name}/curves.svg`;

export const fetchAgentRun = async (name: string, { file }: Pick<ShippedAgent, 'file'>): Promise<Blob> =>
  (await fetched(`${agentsFolder}/${name}/${file}`)).blob();
