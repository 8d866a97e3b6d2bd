/** Options of a trainer, and the service that the library opens with them in a page or on Node. */
import type { ConnectionSettings } from '../envs/module.ts';
import { modelConnection } from '../session/api/model-connection.ts';
import type { RunSummary, TrainerApi } from '../session/protocol.ts';
import type { AssemblyParts } from '../session/service/assembly.ts';
import type { NewRun } from '../store/run-store.ts';

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
  /** Key of the judge at `allowJudge`, in place of that address's key in `modelKeys`. */
  judgeKey?: string;
  /** Address of a teacher behind an API to which an experiment's episodes may be sent. Default: none. */
  allowTeacher?: string;
  /** Key of the teacher at `allowTeacher`, in place of that address's key in `modelKeys`. */
  teacherKey?: string;
  /** Keys of served models (judges, teachers and policies) by their address. They are held in memory and never stored. */
  modelKeys?: { [address: string]: string };
  /** @internal Place where training episodes are played; absent: on this device. Node only. */
  elsewhere?: AssemblyParts['elsewhere'];
  /** @internal Time limit for the answer of a world of this machine, if it differs from the world's own. Node only. */
  patienceMs?: number;
}

/** A setting that this platform does not have. */
export class PlatformError extends Error {
  override name = 'PlatformError';
}

/** A trainer's service with what releases it. If the service is lost, its calls reject. */
export interface OpenedService {
  service: TrainerApi;
  close(): Promise<void>;
  /** Stores a run that was made outside of the service. Node only. */
  place?(run: NewRun): Promise<RunSummary>;
  /** Rejects if the service is lost, as when its worker cannot be loaded; never resolves. */
  lost: Promise<never>;
}

/** Connections by name: a world's, or a served model's. */
export function connectionsOf({
  connect = {},
  modelKeys = {},
  allowJudge = '',
  judgeKey,
  allowTeacher = '',
  teacherKey,
}: TrainerOptions): Map<string, ConnectionSettings> {
  const connections = new Map<string, ConnectionSettings>(Object.entries(connect));
  for (const [address, token] of Object.entries(modelKeys)) connections.set(modelConnection(address), { token });
  if (judgeKey) connections.set(modelConnection(allowJudge, 'judge'), { token: judgeKey });
  if (teacherKey) connections.set(modelConnection(allowTeacher, 'teacher'), { token: teacherKey });
  return connections;
}
