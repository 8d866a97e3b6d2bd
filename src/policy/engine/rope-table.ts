/** cos | sin of every position: computed on the host in double precision, since WGSL's own are only good to 2^-11, and by our own functions. */
import { type ModelConfig, ropeInverseFrequencies } from '../config.ts';
import { cos, sin } from '../elementary.ts';

/** (positions, D): of each position, D / 2 cosines and as many sines. */
export function ropeTable(config: ModelConfig, positions: number): Float32Array<ArrayBuffer> {
  const inverse = ropeInverseFrequencies(config);
  const D = config.headDim;
  const table = new Float32Array(positions * D);
  for (let position = 0; position < positions; position++) {
    for (let d = 0; d < D / 2; d++) {
      // The angle in f32, as the original computes it.
      const angle = Math.fround(position * Math.fround(inverse[d]));
      table[position * D + d] = cos(angle);
      table[position * D + D / 2 + d] = sin(angle);
    }
  }
  return table;
}
