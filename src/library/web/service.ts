/** The trainer's service in a page: in a worker of its own, reached by comlink. */
import * as Comlink from 'comlink';
import type { SessionEvent, TrainerApi } from '../../session/protocol.ts';
import { connectionsOf, type OpenedService, PlatformError, type TrainerOptions } from '../options.ts';
import { untilLost } from '../until-lost.ts';
import { startLibraryWorker } from './worker.ts';

/** The trainer's methods, with a listener that the worker can call. */
function withListener(api: TrainerApi): TrainerApi {
  const start: TrainerApi['start'] = (listener, options) =>
    api.start(
      Comlink.proxy((event: SessionEvent) => listener(event)),
      options,
    );
  return new Proxy(api, { get: (target, name) => (name === 'start' ? start : Reflect.get(target, name)) });
}

export async function openWebService(options: TrainerOptions): Promise<OpenedService> {
  const { store = 'memory', threads } = options;
  if (typeof store === 'object')
    throw new PlatformError('store names a folder, which only Node has. In a page, give "browser" or "memory".');
  const connect = Object.fromEntries(connectionsOf(options));
  const { remote, lost, terminate } = startLibraryWorker();
  try {
    const opened = await Promise.race([remote.open({ threads, store, connect }), lost]);
    const service = untilLost(withListener(opened as unknown as TrainerApi), lost);
    return { service, lost, close: async () => terminate() };
  } catch (error) {
    terminate();
    throw error;
  }
}
