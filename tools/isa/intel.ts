/**
 * Intel GPUs that are not there (nullintel.c), and what Mesa's ANV compiles for them: the compiler's own statistics, and
 * the instructions of the loop with the most multiply-adds.
 */

/**
 * PCI id, cores (Xe cores; of Xe-LP dual subslices), execution units of a core, lanes of a unit, smallest subgroup.
 * adl: Iris Xe Graphics of Alder Lake (Xe-LP, 96 units, also of Tiger and Raptor Lake); dg2: Arc A770; mtl: Arc Graphics
 * of Meteor Lake (both Xe-HPG); lnl: Lunar Lake (Xe2).
 */
export const intelFamilies = {
  adl: { pci: '0x46a6', cores: 6, units: 16, lanes: 8, subgroupMinSize: 8 },
  dg2: { pci: '0x56a0', cores: 32, units: 16, lanes: 8, subgroupMinSize: 8 },
  mtl: { pci: '0x7d55', cores: 8, units: 16, lanes: 8, subgroupMinSize: 8 },
  lnl: { pci: '0x64a0', cores: 8, units: 8, lanes: 16, subgroupMinSize: 16 },
} as const;
export type IntelFamily = keyof typeof intelFamilies;

export const isIntel = (family: string): family is IntelFamily => family in intelFamilies;

/** A turn of a loop. Clocks are those in which a unit issues its instructions, a send as one of one clock. */
interface IntelLoop {
  /** Multiply-adds of a lane. */
  fma: number;
  fmaClocks: number;
  clocks: number;
  /** Bytes of workgroup memory that a lane reads. */
  ldsBytes: number;
}

export interface IntelCode {
  /** Lanes of a thread: SIMD8, 16 or 32. */
  lanes: number;
  instructions: number;
  /** Stores of registers to memory, and loads of them, in the whole code. */
  spills: number;
  fills: number;
  scratchBytes: number;
  /** Most registers that are needed at a time, of 128. */
  live: number;
  ldsBytes: number;
  /** The compiler's estimate for a thread, with ten turns of each loop. */
  cycles: number;
  /** The loop with the most multiply-adds, without the loops inside it. */
  loop: IntelLoop | null;
}

/** Bytes that a lane reads by a message of workgroup memory. Xe-LP: 254 is its surface, a bit of the mask a missing value. */
function readBytes(message: string): number {
  const vector = message.match(/slm MsgDesc: \( load\w*, a32, d(\d+)\w*, (?:V(\d)|([xyzw]+))/);
  if (vector) return (Number(vector[1]) / 8) * Number(vector[2] ?? vector[3].length);
  const mask = message.match(/untyped surface read, Surface = 254, SIMD\d+, Mask = 0x(\w)/);
  return mask ? 4 * [1, 2, 4, 8].filter((bit) => !(Number.parseInt(mask[1], 16) & bit)).length : 0;
}

/** Adds an instruction, which may continue on a second line with its message. */
function addInstruction(loop: IntelLoop, text: string, width: number, lanes: number): void {
  const [, op, size] = text.match(/^(?:\([^)]*\) )?([a-z]\w*)[^(]*\((\d+)\)/) ?? [];
  if (!op || op === 'sync' || op === 'nop') return;
  const clocks = op.startsWith('send') ? 1 : Math.max(1, Number(size) / width);
  loop.clocks += clocks;
  loop.ldsBytes += readBytes(text);
  if (op === 'mad' && /<1>H?F\s/.test(text)) {
    loop.fma += Number(size) / lanes;
    loop.fmaClocks += clocks;
  }
}

/** Instructions of the assembly in their order, and its labels. */
function linesOf(text: string): string[] {
  const assembly = text.slice(text.lastIndexOf('@@@ GEN Assembly')).split('\n');
  return assembly.reduce<string[]>((lines, line) => {
    if (/^\s+\S/.test(line) && lines.length) lines[lines.length - 1] += ` ${line.trim()}`;
    else if (line) lines.push(line);
    return lines;
  }, []);
}

/** The loop with the most multiply-adds. A loop ends with `while`, which names the label of its first instruction. */
function mainLoop(lines: readonly string[], width: number, lanes: number): IntelLoop | null {
  const labels = new Map(lines.flatMap((line, at) => (/^LABEL\d+:/.test(line) ? [[line.slice(0, -1), at]] : [])));
  const ranges = lines.flatMap((line, to) => {
    const from = labels.get(line.match(/while\(\d+\)\s+JIP:\s+(LABEL\d+)/)?.[1] ?? '');
    return from !== undefined && from < to ? [{ from, to }] : [];
  });
  const loops = ranges.map((range) => {
    const inner = ranges.filter((other) => other !== range && other.from >= range.from && other.to <= range.to);
    const loop: IntelLoop = { fma: 0, fmaClocks: 0, clocks: 0, ldsBytes: 0 };
    for (let at = range.from; at <= range.to; at++)
      if (!inner.some(({ from, to }) => at >= from && at <= to)) addInstruction(loop, lines[at], width, lanes);
    return loop;
  });
  return loops.reduce<IntelLoop | null>((best, loop) => (loop.fma > (best?.fma ?? 0) ? loop : best), null);
}

/** Reads the text of a compiled pipeline (nullicd.c). `width`: lanes of a unit. */
export function readIntel(text: string, width: number): IntelCode {
  const statistic = (name: string) => Number(text.match(new RegExp(`^stat ${name} = (\\d+)$`, 'm'))?.[1] ?? 0);
  const lanes = Number(text.match(/executable \S+ subgroup (\d+)/)?.[1] ?? width);
  return {
    lanes,
    instructions: statistic('Instruction Count'),
    spills: statistic('Spill Count'),
    fills: statistic('Fill Count'),
    scratchBytes: statistic('Scratch Memory Size'),
    live: statistic('Max live registers'),
    ldsBytes: statistic('Workgroup Memory Size'),
    cycles: statistic('Cycle Count'),
    loop: mainLoop(linesOf(text), width, lanes),
  };
}
