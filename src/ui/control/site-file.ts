/** Files of the site that the page fetches on demand. */
import { msg, str } from '@lit/localize';

/** Fetches a file of the site. Throws a sentence for the reader, with the HTTP status, if it cannot be loaded. */
export async function fetchSiteFile(path: string): Promise<Response> {
  const response = await fetch(path).catch(() => null);
  if (response?.ok) return response;
  const why = response ? String(response.status) : msg('no connection');
  throw new Error(msg(str`${path} could not be loaded (${why}). Try again.`));
}

/** Fetches a JSON file of the site. Some servers answer a request for a missing file with their front page. */
export async function fetchSiteJson(path: string): Promise<unknown> {
  const response = await fetchSiteFile(path);
  return response.json().catch(() => {
    throw new Error(msg(str`${path} has an unexpected format. Try again.`));
  });
}
