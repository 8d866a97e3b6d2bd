/** Encodes a policy's state as the bytes of a checkpoint, and decodes it. */

import { readSafetensors, toFloat32, writeSafetensors } from '../policy/formats/safetensors.ts';
import type { PolicyState, TensorMap } from '../policy/policy.ts';
import type { StoredCheckpoint } from '../store/run-store.ts';
import type { Choices } from './engine.ts';

export const REFERENCE = 'reference.safetensors';

export const encodeState = (state: PolicyState): Uint8Array => writeSafetensors(state.tensors, { format: 'pt' });

export function decodeState(bytes: Uint8Array, optimizerStep: number): PolicyState {
  const tensors: TensorMap = new Map();
  for (const [name, tensor] of readSafetensors(bytes)) {
    tensors.set(name, { shape: [...tensor.shape], data: toFloat32(tensor, name) });
  }
  return { tensors, optimizerStep };
}

export function checkpointOf(step: number, state: PolicyState, choices: Choices): StoredCheckpoint {
  return { meta: { step, optimizerStep: state.optimizerStep, ...choices }, bytes: encodeState(state) };
}
