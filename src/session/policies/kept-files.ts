/** Reads the files that a run stores of its policy, for the export. */
import type { ModelConfig } from '../../policy/config.ts';
import { tooLarge } from '../../policy/finite.ts';
import { parametersOf } from '../../policy/moments.ts';
import type { TensorMap } from '../../policy/policy.ts';
import { BundleError } from '../../store/bundle.ts';
import { StoreError } from '../../store/run.ts';
import { decodeState } from '../checkpoint.ts';
import { storedConfig } from '../stored-json.ts';
import type { KeptPolicy } from './kind.ts';

const utf8 = new TextDecoder();

export const textOf = (bytes: Uint8Array) => utf8.decode(bytes);
export const bytesOf = (text: string) => new TextEncoder().encode(text);

export interface KeptFiles {
  config: ModelConfig;
  tensors: TensorMap;
  tokenizer: Uint8Array;
}

/** Throws a StoreError if no step is trained. */
export function keptFiles({ checkpoint, config, tokenizer }: KeptPolicy): KeptFiles {
  if (!checkpoint || !config || !tokenizer)
    throw new StoreError('This run has no policy yet: train at least its first step.');
  const { tensors } = decodeState(checkpoint, 0);
  return { config: storedConfig(config), tensors: parametersOf(tensors), tokenizer };
}

/** Throws BundleError for imported weights with which nothing can be computed. */
export function requireUsable(tensors: TensorMap): void {
  const problem = tooLarge(tensors);
  if (problem)
    throw new BundleError(
      `These weights cannot be used: ${problem}, and single precision overflows with it. Save the policy again from a step before its numbers grew.`,
    );
}
