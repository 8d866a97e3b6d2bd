/**
 * Peak speed of the machine, for the bench: multiply-adds in registers only, with thirteen independent accumulators.
 */
import { Peak } from '../build/kernels/calls';
import { madd } from './math';

/**
 * A round is 13 products and 13 sums of four floats: 104 operations. Each accumulator waits six cycles on Zen for its
 * product and its sum, so twelve of them would only just keep two units of each kind busy.
 */
export function peak(call: usize, chunk: u32): void {
  const rounds = Peak.rounds(call);
  let a = f32x4.splat(0), b = f32x4.splat(1), c = f32x4.splat(2), d = f32x4.splat(3), e = f32x4.splat(4), f = f32x4.splat(5), g = f32x4.splat(6);
  let h = f32x4.splat(7), i = f32x4.splat(8), j = f32x4.splat(9), k = f32x4.splat(10), l = f32x4.splat(11), m = f32x4.splat(12);
  const x = f32x4.splat(<f32>0.999);
  for (let n = rounds; n != 0; n--) {
    a = madd(a, x, x); b = madd(b, x, x); c = madd(c, x, x); d = madd(d, x, x); e = madd(e, x, x); f = madd(f, x, x); g = madd(g, x, x);
    h = madd(h, x, x); i = madd(i, x, x); j = madd(j, x, x); k = madd(k, x, x); l = madd(l, x, x); m = madd(m, x, x);
  }
  const all = f32x4.add(f32x4.add(f32x4.add(f32x4.add(a, b), f32x4.add(c, d)), f32x4.add(f32x4.add(e, f), f32x4.add(f32x4.add(g, h), f32x4.add(f32x4.add(i, j), f32x4.add(k, l))))), m);
  store<f32>(Peak.outAt(call) + (chunk << 2), f32x4.extract_lane(all, 0));
}
