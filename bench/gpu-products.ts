/**
 * Measures every form of the matrix products of Qwen2.5-0.5B on this adapter, in turns on the same random data. Weights
 * rotate among copies that together exceed the caches, as the layers of a model do. The floor is the longer of the
 * arithmetic at the adapter's best rate and of moving each operand once at its best bandwidth.
 */
import { type BufferSlice, type Device, type DeviceBuffer, type Recorder, slice, whole } from '../src/device/device.ts';
import {
  defaultChoices,
  fewRows,
  formRuns,
  type KernelChoice,
  type KernelChoices,
  kernelForms,
  narrowColumns,
  narrowInputs,
  quantFewRows,
} from '../src/policy/engine/kernel-choices.ts';
import { Operations } from '../src/policy/engine/operations.ts';
import { QuantizedOperations } from '../src/policy/engine/quantized-operations.ts';
import { partialFloats } from '../src/policy/plan/partial-sums.ts';
import { normals } from '../src/policy/weights/init.ts';
import { type PackedFormat, packedRow, symmetric, withMinimum } from '../src/policy/weights/quantize.ts';
import { type MachineRates, timed } from './machine.ts';

type Kind = 'NT' | 'NN' | 'TN';

/** M rows, N by K weights. `bits` 32: weights as f32. */
export interface ProductShape {
  kind: Kind;
  bits: 4 | 8 | 32;
  M: number;
  N: number;
  K: number;
}

export interface ProductRow extends ProductShape {
  form: string;
  ms: number;
  gflops: number;
  gigabytesPerSecond: number;
  floorMs: number;
  /** Share of the floor: 1 is the best that the adapter allows. */
  share: number;
}

export const productName = ({ kind, bits, M, N, K }: ProductShape) =>
  `${bits === 32 ? 'f32' : `int${bits}`} ${kind} ${M} rows, ${N} x ${K}`;

/** Layer sizes of Qwen2.5-0.5B: hidden 896, feed-forward 4864, query with key and value 1152. */
const wide = { N: 9728, K: 896 };
const long = { N: 896, K: 4864 };
const narrow = { N: 1152, K: 896 };

const packed = (M: number): ProductShape[] =>
  [wide, long, narrow].map((size) => ({ kind: 'NT', bits: 4, M, ...size }) as const);

/** Products of an update of 2,048 tokens and of decoding steps of 1, 8 and 32 rows. */
export const modelShapes: readonly ProductShape[] = [
  ...[1, 8, 32, 2048].flatMap(packed),
  { kind: 'NT', bits: 8, M: 2048, ...wide },
  ...[wide, long, narrow].map((size) => ({ kind: 'NN', bits: 4, M: 2048, ...size }) as const),
  { kind: 'NT', bits: 32, M: 2048, ...wide },
  { kind: 'NN', bits: 32, M: 2048, ...wide },
  { kind: 'TN', bits: 32, M: 2048, ...long },
  // Low-rank products of an adapter of rank 16: one part, and three parts side by side.
  ...[1, 32, 2048].flatMap((M) => [
    { kind: 'NT', bits: 32, M, N: 16, K: 4864 } as const,
    { kind: 'NT', bits: 32, M, N: 48, K: 896 } as const,
  ]),
  { kind: 'NN', bits: 32, M: 2048, N: 16, K: 4864 },
  { kind: 'TN', bits: 32, M: 2048, N: 16, K: 4864 },
];

/** Small sizes with the same structure, for software adapters. Shapes that become equal are measured once. */
export const smallShapes: readonly ProductShape[] = modelShapes
  .map((shape) => ({
    ...shape,
    M: Math.min(shape.M, 128),
    N: Math.min(shape.N, 256),
    K: Math.min(shape.K, 256),
  }))
  .filter((shape, i, all) => all.findIndex((other) => productName(other) === productName(shape)) === i);

/** Formats of a model in int4: 4 bits with a minimum, and 8 bits for the most sensitive matrices. */
const formatOf = (bits: 4 | 8): PackedFormat => (bits === 4 ? withMinimum(4) : symmetric(8));

const bytesOf = ({ kind, bits, M, N, K }: ProductShape) => {
  const row = bits === 32 ? null : packedRow(formatOf(bits), K);
  const weight = row ? (row.codeWords + row.scaleWords) * 4 * N : N * K * 4;
  const activations = (kind === 'NT' ? M * K + M * N : M * N + M * K) * 4;
  return weight + activations;
};

/** A form with the choices that select it. */
interface Measured {
  name: string;
  choices: KernelChoices;
}

/** Choice that governs a product. */
function choiceOf({ kind, bits, M }: ProductShape): KernelChoice {
  if (bits === 32) {
    if (kind === 'TN') return 'matmul_tn_many';
    if (kind === 'NN') return 'matmul_nn_many';
    return M > fewRows ? 'matmul_nt_many' : 'matmul_nt_few';
  }
  if (kind === 'NN') return 'quant_nn_many';
  return M <= quantFewRows ? 'quant_nt_few' : M <= fewRows ? 'quant_nt_some' : 'quant_nt_many';
}

/** Total size of the rotating copies of a weight. Exceeds the caches of most GPUs. */
const rotatingBytes = 192 << 20;
const mostCopies = 64;
const align = (bytes: number) => Math.ceil(bytes / 256) * 256;
const timedSeconds = 0.15;
/** Shortest work that is timed at once, in milliseconds. */
const leastMs = 10;

/** Buffers of one shape, filled with random values. */
class Operands {
  private readonly buffers: DeviceBuffer[] = [];
  readonly inp: BufferSlice;
  readonly out: BufferSlice;
  readonly partials: BufferSlice;
  readonly weights: { codes: BufferSlice; scales: BufferSlice }[];

  constructor(
    private readonly device: Device,
    private readonly recorder: Recorder,
    { bits, M, N, K }: ProductShape,
    isSmall: boolean,
  ) {
    const row = packedRow(formatOf(bits === 32 ? 8 : bits), K);
    const codeBytes = align(bits === 32 ? N * K * 4 : row.codeWords * 4 * N);
    const scaleBytes = align(bits === 32 ? 16 : row.scaleWords * 4 * N);
    const fit = Math.floor(Math.min(rotatingBytes, device.bufferBytes) / codeBytes);
    const copies = isSmall ? 1 : Math.max(1, Math.min(mostCopies, fit));
    const codes = this.create('codes', codeBytes * copies);
    const scales = this.create('scales', scaleBytes * copies);
    this.inp = whole(this.create('inp', M * K * 4));
    this.out = whole(this.create('out', M * N * 4));
    this.partials = whole(this.create('partials', 4 * partialFloats));
    const random = normals(1 << 16, 1, 'bench', 1) as Float32Array<ArrayBuffer>;
    this.fill(this.inp.buffer, random);
    this.fill(this.out.buffer, random);
    this.fill(codes, bits === 32 ? random : bitsOf(random));
    // Two f16 numbers of 0.01 a word.
    this.fill(scales, new Uint32Array(random.length).fill(0x211f211f));
    this.weights = Array.from({ length: copies }, (_, i) => ({
      codes: slice(codes, i * codeBytes, codeBytes),
      scales: slice(scales, i * scaleBytes, scaleBytes),
    }));
  }

  private create(name: string, bytes: number): DeviceBuffer {
    const buffer = this.device.createBuffer(`Product.${name}`, bytes);
    this.buffers.push(buffer);
    return buffer;
  }

  private fill(buffer: DeviceBuffer, values: Float32Array<ArrayBuffer> | Uint32Array<ArrayBuffer>): void {
    for (let at = 0; at < buffer.size; at += values.byteLength)
      this.recorder.upload(buffer, at, values.subarray(0, Math.min(values.length, (buffer.size - at) / 4)));
  }

  destroy(): void {
    for (const buffer of this.buffers) this.device.destroyBuffer(buffer);
  }
}

/** Mixes the bits of floats, so that every code occurs. */
const bitsOf = (values: Float32Array<ArrayBuffer>) =>
  new Uint32Array(values.buffer).map((bits) => Math.imul(bits ^ (bits >>> 13), 0x9e3779b1));

/** Records one product with the i-th copy of the weights. */
function recordOf(
  operands: Operands,
  recorder: Recorder,
  shape: ProductShape,
  choices: KernelChoices,
): (i: number) => void {
  const { kind, bits, M, N, K } = shape;
  const { inp, out, partials, weights } = operands;
  const { kernels } = recorder.device;
  const weightOf = (i: number) => weights[i % weights.length];
  if (bits === 32) {
    const ops = new Operations(kernels, recorder, choices);
    if (kind === 'NT') return (i) => ops.matmulNT(inp, weightOf(i).codes, out, M, N, K);
    if (kind === 'NN') return (i) => ops.matmulNN(out, weightOf(i).codes, inp, M, N, K);
    return (i) => ops.matmulTN(out, inp, weightOf(i).codes, partials, M, N, K);
  }
  const ops = new QuantizedOperations(kernels, recorder, choices);
  const weight = (i: number) => ({ ...formatOf(bits), ...weightOf(i) });
  if (kind === 'NT') return (i) => ops.matmulNT(inp, weight(i), out, M, N, K);
  return (i) => ops.matmulNN(out, weight(i), inp, M, N, K);
}

async function measureForm(recorder: Recorder, record: (i: number) => void, isSmall: boolean): Promise<number> {
  recorder.dry = true;
  record(0);
  recorder.dry = false;
  await recorder.device.kernels.settle();
  let next = 0;
  const run = (times: number) => async () => {
    for (let i = 0; i < times; i++) record(next++);
    await recorder.finish();
  };
  if (isSmall) return timed(run(1), 0, 3);
  let times = 1;
  for (; times < 4096; times *= 4) if ((await timed(run(times), 0, 3)) > leastMs) break;
  return (await timed(run(times), timedSeconds, 20)) / times;
}

/** Forms of a product that this adapter supports. */
function formsOf(shape: ProductShape, features: ReadonlySet<string>): Measured[] {
  const choice = choiceOf(shape);
  const forms = kernelForms[choice]
    .filter((form) => formRuns(form, features))
    .map((form) => ({ name: form, choices: { ...defaultChoices, [choice]: form } }));
  const { kind, bits, N, K } = shape;
  const isNarrow = kind === 'NT' && bits === 32 && N <= narrowColumns && K >= narrowInputs;
  return isNarrow ? [...forms, { name: 'lanes', choices: { ...defaultChoices, matmul_nt_narrow: 'lanes' } }] : forms;
}

/** Measures all forms of the shapes whose name contains `match`. `isSmall`: for software, a single run. */
export async function measureProducts(
  device: Device,
  shapes: readonly ProductShape[],
  machine: MachineRates,
  { isSmall, match = '' }: { isSmall: boolean; match?: string },
): Promise<ProductRow[]> {
  const rows: ProductRow[] = [];
  const recorder = device.createRecorder(256, isSmall ? 5e7 : 1e11);
  for (const shape of shapes.filter((each) => productName(each).includes(match))) {
    const operands = new Operands(device, recorder, shape, isSmall);
    const flops = 2 * shape.M * shape.N * shape.K;
    const bytes = bytesOf(shape);
    const floorMs = Math.max(flops / machine.gflops, bytes / machine.gigabytesPerSecond) / 1e6;
    for (const { name: form, choices } of formsOf(shape, device.features)) {
      const ms = await measureForm(recorder, recordOf(operands, recorder, shape, choices), isSmall);
      const rates = { gflops: flops / ms / 1e6, gigabytesPerSecond: bytes / ms / 1e6 };
      rows.push({ ...shape, form, ms, ...rates, floorMs, share: floorMs / ms });
      console.log(
        `  ${productName(shape)}, ${form}: ${(1000 * ms).toFixed(1)} us, ${rates.gflops.toFixed(0)} GFLOP/s, ` +
          `${rates.gigabytesPerSecond.toFixed(0)} GB/s, ${((100 * floorMs) / ms).toFixed(0)}% of the floor`,
      );
    }
    operands.destroy();
  }
  recorder.destroy();
  return rows;
}
