/**
 * Reads the text of a compiled pipeline (nullicd.c): its statistics, and the instructions of its loops. Loops are found
 * by their backward branches.
 */

/** Counts of instructions. Bytes are those of one lane. */
export interface Counts {
  /** Multiply-adds of a lane. */
  fma: number;
  /** Vector instructions, and the clocks in which a SIMD issues them. */
  valu: number;
  valuClocks: number;
  /** Integer operations among them. */
  integer: number;
  /** Unsigned minima among them, by which the browser's compiler keeps indices in range. */
  clamps: number;
  scalar: number;
  ldsReads: number;
  ldsWrites: number;
  ldsBytes: number;
  loads: number;
  loadBytes: number;
  /** Number of waits for loads. */
  waits: number;
  /** Instructions in slots that other waves share: branches, barriers and scalar loads. */
  others: number;
  scratch: number;
}

export interface Loop {
  /** First and last basic block. */
  from: number;
  to: number;
  depth: number;
  /** Without the loops inside it. */
  own: Counts;
}

export interface Assembly {
  registers: number;
  spilled: number;
  ldsBytes: number;
  /** Waves that a SIMD holds at a time. */
  waves: number;
  /** Lanes of a wave. */
  lanes: number;
  whole: Counts;
  /** In the order of the code, outer loops before inner ones. */
  loops: Loop[];
}

/** Generation of the instruction set: 9 (GCN), 10.3 (RDNA2), 11 (RDNA3). */
export type Generation = 9 | 10.3 | 11;

export const noCounts = (): Counts => ({
  ...{ fma: 0, valu: 0, valuClocks: 0, integer: 0, clamps: 0, scalar: 0, ldsReads: 0, ldsWrites: 0, ldsBytes: 0 },
  ...{ loads: 0, loadBytes: 0, waits: 0, others: 0, scratch: 0 },
});

/** sum += times counts. */
export function addCounts(sum: Counts, counts: Counts, times = 1): void {
  for (const key of Object.keys(counts) as (keyof Counts)[]) sum[key] += counts[key] * times;
}

/** Bytes that a memory instruction moves for a lane. */
function bytesOf(op: string): number {
  if (/2addr|read2|load_2|store_2|write2/.test(op)) return op.endsWith('b64') ? 16 : 8;
  const bits = op.match(/_b(\d+)/) ?? op.match(/_(?:u|i|d16_hi_b|d16_b|d16_u|d16_i)(\d+)/);
  if (bits) return Number(bits[1]) / 8;
  const words = op.match(/dwordx(\d)/);
  if (words) return 4 * Number(words[1]);
  return op.includes('short') ? 2 : op.includes('byte') ? 1 : 4;
}

/** Multiply-adds of a lane. A mix instruction that adds -0 converts. */
function multiplyAdds(op: string, text: string, lanes: number): number {
  if (op.startsWith('v_fma_mix')) return text.includes('neg(0)') ? 0 : 1;
  if (/^v_(dual_)?(fma|fmac|fmaak|fmamk|mad|mac)_f(32|16)/.test(op)) return 1;
  if (/^v_(dual_)?dot2|^v_pk_(fma|mad)_f16/.test(op)) return 2;
  if (op.startsWith('v_dot4')) return 4;
  return /^v_wmma_\w+_16x16x16/.test(op) ? 4096 / lanes : 0;
}

/**
 * True for an instruction of 64 lanes that RDNA3 issues in one clock. The rule is that of `is_dual_issue_capable`
 * (https://gitlab.freedesktop.org/mesa/mesa/-/blob/main/src/amd/compiler/aco_statistics.cpp).
 */
function issuesInOneClock(op: string, text: string): boolean {
  if (op.startsWith('v_fma_mix')) {
    const sources = text
      .slice(op.length)
      .replace(/op_sel.*$/, '')
      .split(',')
      .slice(1, 4);
    const registers = sources.map((source) => source.trim());
    return !(registers.every((name) => /^-?\|?v\d/.test(name)) && new Set(registers).size === 3);
  }
  return (
    /^v_(fma|fmac|fmaak|fmamk|mul|add|sub|subrev|max|min|mul_legacy|fma_legacy|mul_dx9_zero)_f(32|16)/.test(op) ||
    /^v_mov_b(32|16)|^v_cndmask_b(32|16)|^v_dot2c?_f32_f16|^v_dot2acc/.test(op)
  );
}

/** Clocks in which a SIMD issues a vector instruction. */
function clocksOf(op: string, text: string, lanes: number, generation: Generation): number {
  const isQuarter = /^v_(exp|log|rcp|rsq|sqrt|sin|cos)_|^v_mul_(lo|hi)_[ui]32|^v_mad_[ui]64/.test(op);
  if (generation < 10) return isQuarter ? 16 : 4;
  if (op.startsWith('v_wmma')) return 32;
  const passes = lanes / 32;
  if (isQuarter) return 4 * passes;
  return generation === 11 && lanes === 64 && issuesInOneClock(op, text) ? 1 : passes;
}

const isInteger = (op: string) =>
  /_(u32|i32|b32|u64|b64|u16|i16|b16)|^v_(lshl|lshr|ashr|and|or|xor|bfe|add3|mad_u|mul_lo)/.test(op) &&
  !/^v_(mov|cndmask|cvt|readlane|readfirstlane|perm)/.test(op);

class Counter {
  readonly counts = noCounts();
  private pending = false;

  constructor(
    readonly lanes: number,
    readonly generation: Generation,
  ) {}

  /** One word of code; RDNA3 has words of two operations. */
  word(text: string): void {
    const { counts } = this;
    const op = text.split(/\s/, 1)[0];
    if (/vmcnt|loadcnt/.test(text) && this.pending) {
      counts.waits++;
      this.pending = false;
    }
    if (/^s_(waitcnt|delay_alu|nop|clause|wait|set|inst_prefetch|round_mode|denorm)/.test(op)) return;
    if (op.startsWith('v_')) this.vector(text);
    else if (op.startsWith('ds_')) this.shared(op);
    else if (/^(buffer|global|flat)_(load|atomic)/.test(op)) {
      counts.loads++;
      counts.loadBytes += bytesOf(op);
      this.pending = true;
    } else if (op.startsWith('scratch_')) counts.scratch++;
    else if (/^s_(barrier|c?branch|endpgm|sendmsg|load|buffer_load)/.test(op)) counts.others++;
    else if (op.startsWith('s_')) counts.scalar++;
  }

  private vector(text: string): void {
    const { counts, lanes } = this;
    const op = text.split(/\s/, 1)[0];
    counts.valu++;
    counts.valuClocks += clocksOf(op, text, lanes, this.generation);
    for (const part of text.split('::').map((each) => each.trim()))
      counts.fma += multiplyAdds(part.split(/\s/, 1)[0], part, lanes);
    if (isInteger(op)) counts.integer++;
    if (/^v_(min_u32|minmax_u32|med3_u32)/.test(op)) counts.clamps++;
  }

  private shared(op: string): void {
    const { counts } = this;
    if (/store|write/.test(op)) counts.ldsWrites++;
    else counts.ldsReads++;
    if (!/bpermute|swizzle/.test(op)) counts.ldsBytes += bytesOf(op);
  }
}

interface Block {
  label: number;
  words: string[];
}

function blocksOf(assembly: string): Block[] {
  const blocks: Block[] = [];
  for (const line of assembly.split('\n')) {
    const label = line.match(/^BB(\d+):/);
    const word = line.match(/^\t(\S+\s*.*?)\s*(?:;|$)/);
    if (label) blocks.push({ label: Number(label[1]), words: [] });
    else if (word) blocks.at(-1)?.words.push(word[1]);
  }
  return blocks;
}

/** First and last block of each loop, outer loops first. */
function rangesOf(blocks: readonly Block[]): { from: number; to: number }[] {
  const at = new Map(blocks.map(({ label }, i) => [label, i]));
  const ends = new Map<number, number>();
  blocks.forEach(({ words }, i) => {
    for (const word of words) {
      const target = at.get(Number(word.match(/^s_c?branch\S*\s+BB(\d+)/)?.[1]));
      if (target !== undefined && target <= i) ends.set(target, Math.max(ends.get(target) ?? 0, i));
    }
  });
  return [...ends].map(([from, to]) => ({ from, to })).sort((a, b) => a.from - b.from || b.to - a.to);
}

export function readAssembly(text: string, generation: Generation): Assembly {
  const statistic = (name: string) => Number(text.match(new RegExp(`^stat ${name} = (\\d+)$`, 'm'))?.[1] ?? 0);
  const lanes = Number(text.match(/executable \S+ subgroup (\d+)/)?.[1] ?? 64);
  const blocks = blocksOf(text.slice(text.indexOf('@@@ Assembly')));
  const ranges = rangesOf(blocks);
  const contains = (a: { from: number; to: number }, b: { from: number; to: number }) =>
    a !== b && a.from <= b.from && a.to >= b.to;
  const count = (of: (i: number) => boolean) => {
    const counter = new Counter(lanes, generation);
    blocks.forEach(({ words }, i) => {
      if (of(i)) for (const word of words) counter.word(word);
    });
    return counter.counts;
  };
  return {
    registers: statistic('VGPRs'),
    spilled: statistic('Spilled VGPRs') + statistic('Spilled SGPRs'),
    ldsBytes: statistic('LDS size'),
    waves: statistic('Subgroups per SIMD'),
    lanes,
    whole: count(() => true),
    loops: ranges.map((range) => {
      const inner = ranges.filter((other) => contains(range, other));
      const isOwn = (i: number) =>
        i >= range.from && i <= range.to && !inner.some(({ from, to }) => i >= from && i <= to);
      return { ...range, depth: ranges.filter((other) => contains(other, range)).length, own: count(isOwn) };
    }),
  };
}
