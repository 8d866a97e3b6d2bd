/**
 * The interface of a site: data made from a seed, a small state, and a function from a request to a page or a redirect.
 * A site is independent of DOM, browser and clock, so that it can run in a frame, on Node and behind an HTTP server.
 */
import type { Json } from '../../../envs/env.ts';

/** A request of a browser. GET changes nothing; POST may. */
export interface SiteRequest {
  method: 'GET' | 'POST';
  /** Decoded path without the host: `/product/brass-lamp`. */
  path: string;
  query: { [name: string]: string };
  form: { [name: string]: string };
}

export type SiteAnswer<State> =
  | { kind: 'page'; title: string; html: string; status: 200 | 404; state?: State }
  /** `to`: path and query on the same site, or a complete address. */
  | { kind: 'redirect'; to: string; state?: State };

export interface Site<Data, State extends Json> {
  /** Name of the site in tasks. */
  name: string;
  host: string;
  title: string;
  /** Sites with the same backend share data and state, such as a shop and its administration. */
  backend: string;
  open(seed: number): Data;
  /** Initial state, logged in if the site has an account. */
  start(data: Data): State;
  /** Answers a request. Never modifies `data` or `state`; a changed state is returned in the answer. */
  handle(data: Data, state: State, request: SiteRequest): SiteAnswer<State>;
}

export type AnySite = Site<unknown, Json>;

/** A route: a pattern with named parts (`/product/:slug`) and its handler. */
export interface Route<Data, State> {
  method: 'GET' | 'POST';
  pattern: string;
  answer(context: {
    data: Data;
    state: State;
    request: SiteRequest;
    params: { [name: string]: string };
  }): SiteAnswer<State>;
}

function match(pattern: string, path: string): { [name: string]: string } | null {
  const wanted = pattern.split('/');
  const given = path.replace(/\/+$/, '').split('/');
  if (given.length === 1) given.push('');
  if (wanted.length !== given.length) return null;
  const params: { [name: string]: string } = {};
  for (const [k, part] of wanted.entries()) {
    if (part.startsWith(':')) params[part.slice(1)] = given[k];
    else if (part !== given[k]) return null;
  }
  return params;
}

/** Calls the first matching route, or `missing` if none matches. */
export function route<Data, State>(
  routes: readonly Route<Data, State>[],
  data: Data,
  state: State,
  request: SiteRequest,
  missing: () => SiteAnswer<State>,
): SiteAnswer<State> {
  for (const { method, pattern, answer } of routes) {
    const params = method === request.method ? match(pattern, request.path) : null;
    if (params) return answer({ data, state, request, params });
  }
  return missing();
}
