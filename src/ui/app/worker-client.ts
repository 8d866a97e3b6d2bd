/**
 * Client of the trainer's worker: starts the worker, calls it through comlink, and turns a crash of the worker into a
 * readable error.
 */
import * as Comlink from 'comlink';
import { startLibraryWorker } from '../../library/web/worker.ts';
import type { GpuReport, SessionEvent, TrainerApi } from '../../session/protocol.ts';
import { type Client, gather } from '../control/client.ts';
import { RestartedError, type Spawned, Supervisor } from '../control/supervisor.ts';
import { askedDevice } from '../state/device.ts';
import { isEmbedded } from '../state/embedded-view.ts';

/**
 * In a frame of some pages, opening a database never ends. An embedded view then keeps its runs in memory; a page of its
 * own waits, because its runs may be there.
 */
const embeddedPatienceMs = 5000;

/** An embedded view uses one thread, since a page may contain several of them. */
const workerOptions = () =>
  isEmbedded()
    ? { store: 'browser' as const, threads: 1, patienceMs: embeddedPatienceMs }
    : { store: 'browser' as const, patienceMs: null };

function spawnTrainer(onCrash: (error: Error) => void): Spawned<TrainerApi> {
  const { remote, lost, terminate } = startLibraryWorker();
  const opened = remote.open(workerOptions()) as unknown as Promise<TrainerApi>;
  lost.catch(({ message }: Error) =>
    onCrash(new Error(`${message} Reload the page; the run continues from its last step.`)),
  );
  const method =
    (name: keyof TrainerApi) =>
    async (...given: unknown[]) =>
      ((await opened)[name] as (...given: unknown[]) => unknown)(...given);
  // With a `then` method the proxy would be treated as a promise.
  const api = new Proxy({} as TrainerApi, {
    get: (_, name) => (name === 'then' ? undefined : method(name as keyof TrainerApi)),
  });
  return { api, terminate };
}

/**
 * Timer of the supervisor's pings. Off in development, where a worker paused at a breakpoint does not answer although
 * it is healthy.
 */
const everyUnlessDebugged = (tick: () => void, ms: number) => import.meta.env.DEV || setInterval(tick, ms);

export function workerClient(): Client {
  let crashed: (error: Error) => void = () => {};
  let restarted: () => unknown = () => {};
  /** Rejects if a worker crashes or no worker answers any more; the pending calls would otherwise never settle. */
  const crash = new Promise<never>((_, reject) => {
    crashed = reject;
  });
  crash.catch(() => {});
  const { api } = new Supervisor<TrainerApi>({
    spawn: () => spawnTrainer(crashed),
    ping: (worker) => worker.ping(),
    every: everyUnlessDebugged,
    onRestart: () => restarted(),
    onGivenUp: crashed,
  });

  /** First call to a worker. If that worker is replaced during the call, calls the next one. */
  const begin = (listener: (event: SessionEvent) => void): Promise<GpuReport> =>
    api.start(Comlink.proxy(listener), { device: askedDevice() }).catch((error) => {
      if (error instanceof RestartedError) return begin(listener);
      throw error;
    });

  const start = async (deliver: (events: SessionEvent[]) => void, onRestart: (gpu: GpuReport) => void) => {
    const gatherer = gather(deliver);
    const listener = (event: SessionEvent) => gatherer.add(event);
    crash.catch((error: Error) => listener({ type: 'notice', level: 'error', message: error.message }));
    const gpu = await Promise.race([begin(listener), crash]);
    restarted = () => begin(listener).then(onRestart, () => {});
    return gpu;
  };
  return { api, start };
}
