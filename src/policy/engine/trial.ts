/** Work by which the forms of one choice are compared. */
import type { KernelCache, Recorder } from '../../device/device.ts';
import type { KernelChoice, KernelChoices } from './kernel-choices.ts';
import type { MeasuredBuffers } from './measured-buffers.ts';
import type { Product } from './run-sizes.ts';

/** Where a trial records its work: with the kernels of these choices. */
export interface Measuring {
  kernels: KernelCache;
  recorder: Recorder;
  buffers: MeasuredBuffers;
  choices: KernelChoices;
}

export interface Trial {
  choice: KernelChoice;
  /** Measured sizes, in the letters of operations.ts. */
  sizes: string;
  record(measuring: Measuring): void;
}

/** Sizes of a product of M rows, as people read them. */
export const sizesText = (M: number, products: readonly Product[]) => {
  const each = products.map(({ N, K, format }) => {
    const packed = format ? ` int${format.bits}${format.minimum ? ' + min' : ''}` : '';
    return `${N} × ${K}${packed}`;
  });
  return `M ${M}, N × K ${each.join(' | ')}`;
};
