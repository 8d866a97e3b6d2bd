/** One buffer of the plan: its name, its size, and the part of the engine that it is counted under. */
import type { decodingBuffers, pageBuffers } from './decoding-buffers.ts';
import type { headBuffers, valueBuffers } from './head-buffers.ts';
import type {
  ActivationName,
  adapterBuffers,
  adapterGradients,
  backwardBuffers,
  passBuffers,
} from './layer-buffers.ts';

/** Buffers that a workspace holds, as each part declares them. */
export type WorkspaceBuffer =
  | ActivationName
  | `layerInput.${number}`
  | `cache.${number}`
  | keyof ReturnType<typeof passBuffers>
  | keyof ReturnType<typeof adapterBuffers>
  | keyof ReturnType<typeof backwardBuffers>
  | keyof ReturnType<typeof adapterGradients>
  | keyof ReturnType<typeof headBuffers>
  | keyof ReturnType<typeof valueBuffers>
  | keyof ReturnType<typeof pageBuffers>
  | keyof ReturnType<typeof decodingBuffers>;

/** Arrays of the host. */
export type HostBuffer = 'hiddenRows' | 'foreseen';

/** Buffers that the weights and the recorder allocate themselves. */
export type OwnBuffer =
  | 'weights'
  | 'adapter'
  | 'reference'
  | 'gradients'
  | 'exp_avg'
  | 'exp_avg_sq'
  | 'staging'
  | 'uniforms'
  | 'timestamps';

export interface PlannedBuffer {
  name: WorkspaceBuffer | OwnBuffer | HostBuffer;
  bytes: number;
  part:
    | 'weights'
    | 'adapter'
    | 'optimizer'
    | 'reference'
    | 'activations'
    | 'gradients of activations'
    | 'head'
    | 'KV cache'
    | 'decoding'
    | 'transfer'
    | 'critic'
    | 'host';
}
