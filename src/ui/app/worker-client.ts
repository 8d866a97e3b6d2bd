/**
 * Client of the trainer's worker: starts the worker, calls it through comlink, and turns a crash of the worker into a
 * readable error.
 */
import * as Comlink from 'comlink';
import { isFrameRequest } from '../../envs/transport/frame-port.ts';
import { frameKeeper } from '../../library/world-frames.ts';
import type { GpuReport, SessionEvent, TrainerApi } from '../../session/protocol.ts';
import { oneThreadName } from '../../session/protocol.ts';
import { type Client, gather } from '../control/client.ts';
import { RestartedError, type Spawned, Supervisor } from '../control/supervisor.ts';
import { askedDevice } from '../state/device.ts';
import { isEmbedded } from '../state/embedded-view.ts';

function spawnTrainer(onCrash: (error: Error) => void): Spawned<TrainerApi> {
  const worker = new Worker(new URL('../../workers/trainer-worker.ts', import.meta.url), {
    type: 'module',
    // An embedded view uses one thread, since a page may contain several of them.
    name: isEmbedded() ? oneThreadName : 'trainer',
  });
  worker.addEventListener('error', (event) =>
    onCrash(
      new Error(
        `The trainer stopped: ${event.message || 'its script could not be loaded'}. Reload the page; the run continues from its last step.`,
      ),
    ),
  );
  const frames = frameKeeper(onCrash);
  worker.addEventListener('message', ({ data, ports }) => {
    if (isFrameRequest(data)) frames.receive(data, ports);
  });
  return {
    api: Comlink.wrap<TrainerApi>(worker) as unknown as TrainerApi,
    terminate: () => {
      worker.terminate();
      frames.closeAll();
    },
  };
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
