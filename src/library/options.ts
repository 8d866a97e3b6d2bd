/** Options of a trainer, and the service that the library opens with them in a page or on Node. */
import type { ConnectionSettings } from '../envs/module.ts';
import type { TrainerApi } from '../session/protocol.ts';

/** Settings of this machine for training: none of them changes what a run is. */
export interface TrainerOptions {
  /**
   * Device that computes: `webgpu`, `wasm` (the processor), or `auto`, the faster of the two. WebGPU on Node needs the
   * optional package `webgpu`. Default: `auto`.
   */
  device?: 'auto' | 'webgpu' | 'wasm';
  /**
   * Threads of the processor. Default: by the number of cores. A page has several only if it is cross-origin isolated.
   */
  threads?: number;
  /**
   * Place of the runs: `memory`, lost at the end; `browser`, the page's IndexedDB; or the path of a folder, on Node.
   * Default: `memory`.
   */
  store?: 'memory' | 'browser' | { folder: string };
  /** Address and token of worlds' servers, by the name of the world. */
  connect?: { [world: string]: { address?: string; token?: string } };
  /** Lets experiments run their own code (typed worlds, rewards and objectives) in a sandbox. Default: false. */
  allowCode?: boolean;
  /** Address of a judge to which an experiment's episodes may be sent. Default: none. */
  allowJudge?: string;
}

/** A setting that this platform does not have. */
export class PlatformError extends Error {
  override name = 'PlatformError';
}

/** A trainer's service with what releases it. If the service is lost, its calls reject. */
export interface OpenedService {
  service: TrainerApi;
  close(): Promise<void>;
  /** Rejects if the service is lost, as when its worker cannot be loaded; never resolves. */
  lost: Promise<never>;
}

export const connectionsOf = ({ connect = {} }: TrainerOptions): Map<string, ConnectionSettings> =>
  new Map(Object.entries(connect));
