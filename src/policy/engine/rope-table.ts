/**
 * Rotary table: cos | sin of every position, computed on the host in double precision, because WGSL's functions are
 * only accurate to 2^-11. Uses the project's own functions (elementary.ts).
 */
import { type ModelConfig, ropeInverseFrequencies } from '../config.ts';
import { cos, sin } from '../elementary.ts';

/** (positions, D): D / 2 cosines and D / 2 sines for each position. */
export function ropeTable(config: ModelConfig, positions: number): Float32Array<ArrayBuffer> {
  const inverse = ropeInverseFrequencies(config);
  const D = config.headDim;
  const table = new Float32Array(positions * D);
  for (let position = 0; position < positions; position++) {
    for (let d = 0; d < D / 2; d++) {
      // The angle is rounded to f32, as in the original implementation.
      const angle = Math.fround(position * Math.fround(inverse[d]));
      table[position * D + d] = cos(angle);
      table[position * D + D / 2 + d] = sin(angle);
    }
  }
  return table;
}
