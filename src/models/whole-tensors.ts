/** Reads a whole language model into memory, for an export. */
import { parameterShapes } from '../policy/config.ts';
import type { TensorMap } from '../policy/policy.ts';
import type { BaseModel } from './base-model.ts';

/** All tensors of a model in f32, in the engine's order. The model must have been opened in f32. */
export async function wholeTensors(model: BaseModel): Promise<TensorMap> {
  const tensors: TensorMap = new Map();
  for (const [name, shape] of parameterShapes(model.config))
    tensors.set(name, { shape, data: new Float32Array(shape.reduce((a, b) => a * b, 1)) });
  for await (const piece of model.pieces({ signal: new AbortController().signal })) {
    if (piece.kind !== 'f32') throw new RangeError(`${piece.name} is packed: open the model in f32.`);
    tensors.get(piece.name)!.data.set(piece.values, piece.row * piece.shape.at(-1)!);
  }
  return tensors;
}
