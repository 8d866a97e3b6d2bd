/** A buffer of the plan: its name, its size, and the part of the engine it belongs to. */
import type { decodingBuffers, pageBuffers } from './decoding-buffers.ts';
import type { headBuffers, teacherBuffers, valueBuffers } from './head-buffers.ts';
import type {
  ActivationName,
  adapterBuffers,
  adapterGradients,
  backwardBuffers,
  integerBuffers,
  ownProduct,
  passBuffers,
} from './layer-buffers.ts';

/** Buffers of the workspace, as declared by each part. */
export type WorkspaceBuffer =
  | ActivationName
  | `layerInput.${number}`
  | `cache.${number}`
  | keyof ReturnType<typeof passBuffers>
  | keyof ReturnType<typeof adapterBuffers>
  | ReturnType<typeof ownProduct>
  | keyof ReturnType<typeof integerBuffers>
  | keyof ReturnType<typeof backwardBuffers>
  | keyof ReturnType<typeof adapterGradients>
  | keyof ReturnType<typeof headBuffers>
  | keyof ReturnType<typeof valueBuffers>
  | keyof ReturnType<typeof teacherBuffers>
  | keyof ReturnType<typeof pageBuffers>
  | keyof ReturnType<typeof decodingBuffers>;

/** Arrays on the host. */
export type HostBuffer = 'hiddenRows' | 'updateScores' | 'distributions';

/** Buffers allocated by the weights and the recorder. */
type OwnBuffer =
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
    | 'teacher'
    | 'host';
}
