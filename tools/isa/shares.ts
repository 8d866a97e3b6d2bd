/**
 * Modelled shares of a GPU's peak of f32 multiply-adds, from the instructions of one turn of a kernel's main loop. The
 * model has no cache misses, bank conflicts or latency: waits count as hidden.
 */
import type { Constants } from '../../src/device/device.ts';
import { type Assembly, addCounts, type Counts, type Generation, type Loop, noCounts } from './assembly.ts';
import type { Form } from './recording-device.ts';

export const families = { navi33: 11, phoenix: 11, rembrandt: 10.3, renoir: 9 } as const satisfies {
  [family: string]: Generation;
};
export type Family = keyof typeof families;

/** One pass of the outermost loop that contains the most multiply-adds. */
export interface Turn extends Counts {
  /** Useful multiply-adds of a lane. */
  mac: number;
}

export interface Shares {
  /** By the clocks of the vector instructions. */
  valu: number;
  /** By all slots of one SIMD. */
  issue: number;
  /** By the bandwidth of workgroup memory, and of the first cache. */
  lds: number;
  l0: number;
  /** Minimum of valu, lds and l0. */
  bound: number;
}

const number = (constants: Constants, name: string) => Number(constants[name]);

/** Multiply-adds of a lane for 32 keys or rows, per product of the scores or sums. */
function ofAttention(c: Constants): number {
  return (number(c, 'ROWS') * 32 * number(c, 'E') * 4) / 64;
}

/**
 * Useful multiply-adds of a lane in a turn of the outermost loop; null where the loop with the most multiply-adds stands
 * for the kernel.
 */
function usefulOf({ name, constants: c }: Form): number | null {
  if (name.endsWith('_blocks')) return 16 * number(c, 'ROW_FOURS') * number(c, 'COLUMN_FOURS') * number(c, 'STEP');
  if (name === 'quant_matmul_nt_few') return 512;
  if (/^(quant_)?matmul_(nt|nn|tn)_tiled$/.test(name)) return 256;
  if (name === 'matmul_nt' || name === 'matmul_nn') return 16 * number(c, 'ROWS');
  if (name === 'matmul_tn') return 16 * number(c, 'FOURS');
  if (name === 'quant_matmul_nt') return 128 * number(c, 'ROWS');
  if (name === 'quant_matmul_nn') return 32 * number(c, 'ROWS');
  if (name === 'lora_up_backward_both') return 128 * number(c, 'FOURS');
  if (name === 'attention_forward_tiled') return 2 * ofAttention(c);
  if (name === 'attention_backward_query_tiled') return 3 * ofAttention(c);
  if (name === 'attention_backward_key_tiled') return 4 * ofAttention(c);
  return null;
}

/**
 * Turns of the loops inside a turn: those with multiply-adds so often that the sum is the useful number (the last scores
 * of attention and their sums in the ratio of their trips), those without once.
 */
function innerTrips({ name, constants: c }: Form, useful: number, outer: Loop, inner: readonly Loop[]): number[] {
  const most = Math.max(0, ...inner.map(({ own }) => own.fma));
  const busy = inner.filter(({ own }) => own.fma >= most / 8 && own.fma > 0);
  if (name.startsWith('attention_') && busy.length > 1) return attentionTrips(c, inner);
  const left = useful - outer.own.fma;
  const each = busy.reduce((sum, { own }) => sum + own.fma, 0);
  return inner.map((loop) => (busy.includes(loop) ? Math.max(1, Math.round(left / each)) : 1));
}

/** Attention: scores in slices of SW vectors (unrolled, or SW vectors a turn), then sums over VK keys, four a turn. */
function attentionTrips(c: Constants, inner: readonly Loop[]): number[] {
  const perVector = 4 * number(c, 'SR') * 4;
  const slices = number(c, 'E') / number(c, 'SW');
  const sums = (32 / number(c, 'VK')) * (number(c, 'VK') / 4);
  return inner.map(({ own }) => {
    if (own.fma === 0) return 1;
    // The reads of a turn of the sums: RO weights and CO fours of vectors.
    const isSum = own.ldsReads > 0 && own.ldsReads <= number(c, 'RO') + 4 * number(c, 'CO') && own.ldsWrites === 0;
    if (isSum && own.fma !== perVector && own.fma !== 2 * perVector) return sums;
    return own.ldsWrites > 0 ? slices : number(c, 'SW');
  });
}

/** Null for a kernel without a loop of multiply-adds. */
export function turnOf(form: Form, { loops }: Assembly): Turn | null {
  const main = loops.reduce<Loop | null>((best, loop) => (loop.own.fma > (best?.own.fma ?? 0) ? loop : best), null);
  if (!main) return null;
  const turn: Turn = { ...noCounts(), mac: main.own.fma };
  const useful = usefulOf(form);
  if (useful === null) {
    addCounts(turn, main.own);
    return turn;
  }
  const outer = loops.find(({ depth, from, to }) => depth === 0 && from <= main.from && to >= main.to)!;
  const inner = loops.filter((loop) => loop !== outer && loop.from >= outer.from && loop.to <= outer.to);
  const trips = innerTrips(form, useful, outer, inner);
  addCounts(turn, outer.own);
  inner.forEach(({ own }, i) => addCounts(turn, own, trips[i]));
  turn.mac = useful;
  return turn;
}

/** Multiply-adds that a SIMD of a generation issues in a clock. */
const perClock = (generation: Generation) => (generation === 11 ? 64 : generation === 10.3 ? 32 : 16);

export function sharesOf(turn: Turn, lanes: number, generation: Generation): Shares {
  const ideal = (turn.mac * lanes) / perClock(generation);
  // A compute unit has four SIMDs (GCN) or two; workgroup memory gives 128 bytes a clock, the first cache 64.
  const simds = generation < 10 ? 4 : 2;
  const ldsClocks = (turn.ldsBytes * lanes * simds) / 128;
  const l0Clocks = (turn.loadBytes * lanes * simds) / 64;
  const slots = turn.valuClocks + turn.scalar + turn.ldsReads + turn.ldsWrites + turn.loads + turn.others;
  const share = (clocks: number) => ideal / Math.max(clocks, 1e-9);
  return {
    valu: share(turn.valuClocks),
    issue: share(slots),
    lds: share(ldsClocks),
    l0: share(l0Clocks),
    bound: share(Math.max(turn.valuClocks, ldsClocks, l0Clocks, ideal)),
  };
}

/** The part that the share is bound by. */
export const boundBy = ({ lds, l0, bound }: Shares): string => {
  if (bound === 1) return 'peak';
  if (lds <= bound) return 'workgroup memory';
  return l0 <= bound ? 'loads' : 'instructions';
};
