/**
 * Base model of an adapter, as a session uses it, independent of its source (the page's library, a folder on Node, a
 * test).
 */
import type { ModelConfig } from '../policy/config.ts';
import type { WeightPieces } from '../policy/weights/base.ts';
import type { Precision } from '../policy/weights/linear.ts';
import type { TensorFormats } from '../policy/weights/packed-layout.ts';
import type { OnnxModel } from './onnx-model.ts';

export interface BaseModel {
  config: ModelConfig;
  /** Formats of the packed tensors; absent: those of the precision. */
  formats?: TensorFormats;
  /** config.json, tokenizer.json, and those conversation files that exist. */
  texts: { readonly [name: string]: string };
  /** Streams every tensor in pieces of whole rows, with `formats`. May be called again. */
  pieces(options: { signal: AbortSignal; onProgress?(done: number, total: number): void }): WeightPieces;
}

/** Opens language models by the name used in experiments. */
export interface BaseModels {
  open(model: string, precision: Precision): Promise<BaseModel>;
  /** Opens a model's ONNX file. */
  openOnnx(model: string, file: string): Promise<OnnxModel>;
}

/** Thrown if an experiment names a language model but none can be opened. */
export class NoBaseModelError extends Error {
  override name = 'NoBaseModelError';
}

/** Files of a model as files of a run. */
export const assetsOf = ({ texts }: Pick<BaseModel, 'texts'>): { [name: string]: Uint8Array } =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, new TextEncoder().encode(text)]));
