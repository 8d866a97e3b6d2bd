/** Mounts the routes: the protocols of each served world under its prefixes, and the greeting at the root. */
import type { Route } from '../envs/serving/form.ts';
import { AgentGymHost } from './agentgym/host.ts';
import { agentGymHandler } from './agentgym/routes.ts';
import { isOpenEnvs, openEnvRoutes, openEnvSockets } from './openenv/routes.ts';
import { mountTaskApi } from './openenv/task-api.ts';
import type { Handler, Router } from './router.ts';
import type { ServedWorld } from './served-world.ts';
import type { Sockets } from './sockets.ts';

export interface Mounted {
  router: Router;
  sockets: Sockets;
  worlds: readonly ServedWorld[];
  /** Receives failures of the server itself, as opposed to errors in a request. */
  report(error: unknown): void;
}

/**
 * Path prefixes of a world: its own name, the name of its server upstream, and the root if it is the only world served.
 */
function prefixesOf({ module, form }: ServedWorld, { worlds }: Mounted): string[] {
  const prefixes = new Set([`/${module.name}`, form.path || `/${form.server}`]);
  if (worlds.length === 1) prefixes.add('');
  return [...prefixes];
}

/** Dispatches a path that both protocols share to the one that the request belongs to. */
const eitherOf =
  ({ path, fields }: Route, agentGym: Handler, openEnv: Handler): Handler =>
  (request) =>
    isOpenEnvs(path, Object.keys(fields), request) ? openEnv(request) : agentGym(request);

/** Mounts both protocols under each prefix; under `/openenv/NAME` only OpenEnv. */
function mountWorld(served: ServedWorld, mounted: Mounted): void {
  const { router, sockets, report } = mounted;
  const host = new AgentGymHost(served);
  const open = openEnvRoutes(served, report);
  const prefixes = prefixesOf(served, mounted);
  for (const prefix of prefixes) {
    for (const route of served.form.routes) {
      const shared = open.find(([method, path]) => method === route.method && path === route.path);
      const own = agentGymHandler(host, route, report);
      router.add(route.method, `${prefix}${route.path}`, shared ? eitherOf(route, own, shared[2]) : own);
    }
    for (const [method, path, handler] of open)
      if (!served.form.routes.some((route) => route.method === method && route.path === path))
        router.add(method, `${prefix}${path}`, handler);
  }
  const openEnvPrefix = `/openenv/${served.module.name}`;
  for (const [method, path, handler] of open) router.add(method, `${openEnvPrefix}${path}`, handler);
  for (const [path, conversation] of openEnvSockets(served, report))
    for (const prefix of [...prefixes, openEnvPrefix]) sockets.add(`${prefix}${path}`, conversation);
}

/** Mounts the Task API: for all worlds at the root and under `/openenv`, and for each world under its own prefix. */
function mountTasks({ router, worlds }: Mounted): void {
  for (const base of ['', '/openenv']) mountTaskApi(router, base, worlds);
  for (const served of worlds)
    for (const base of [`/${served.module.name}`, `/openenv/${served.module.name}`])
      mountTaskApi(router, base, [served]);
}

/** Mounts `GET /`: the greeting of the one world, or the list of several. */
function mountGreetings({ router, worlds }: Mounted): void {
  const answer = (json: unknown) => async () => ({ status: 200, json });
  for (const { module, form } of worlds)
    if (!form.path)
      for (const name of new Set([module.name, form.server])) router.add('GET', `/${name}/`, answer(form.greeting));
  const greetings = [...new Set(worlds.map(({ form }) => form.greeting))];
  router.add(
    'GET',
    '/',
    answer(greetings.length === 1 ? greetings[0] : { worlds: worlds.map(({ module }) => module.name) }),
  );
  if (worlds.length > 1) router.add('GET', '/health', answer({ status: 'healthy' }));
}

export function mountWorlds(mounted: Mounted): void {
  for (const served of mounted.worlds) mountWorld(served, mounted);
  mountTasks(mounted);
  mountGreetings(mounted);
}
