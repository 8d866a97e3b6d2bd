/**
 * Causal language model on onnxruntime, in the Hub's layout: tokens in, logits out. The cache is an immutable value: a
 * run takes one and returns the next, so that several rows can continue from one prompt. The inputs are read from the
 * model; a model with an unsupported input is refused with its name. Independent of sampling and turns.
 */
import type * as Ort from 'onnxruntime-web';
import { widenF16 } from '../formats/safetensors.ts';
import { type OnnxBackend, OnnxError, type OnnxRuntime, onnxRuntime } from './runtime.ts';

export interface OnnxSource {
  /** Content of model.onnx. */
  model: Uint8Array;
  /** External weight files that the model names. */
  external?: readonly { path: string; data: Uint8Array }[];
}

/** Keys and values of the tokens so far. Shared by several users and freed by the last one's release. */
export class OnnxCache {
  private users = 1;

  constructor(
    readonly length: number,
    readonly tensors: ReadonlyMap<string, Ort.Tensor>,
  ) {}

  share(): OnnxCache {
    this.users += 1;
    return this;
  }

  release(): void {
    this.users -= 1;
    if (this.users > 0) return;
    for (const tensor of this.tensors.values()) if (tensor.location === 'gpu-buffer') tensor.dispose();
  }
}

interface Past {
  name: string;
  /** Output with the next value. */
  present: string;
  type: 'float32' | 'float16';
  heads: number;
  headDim: number;
}

const plainInputs = ['input_ids', 'attention_mask', 'position_ids', 'num_logits_to_keep'];
const pastName = /^past_key_values\.(\d+)\.(key|value)$/;

type TensorMetadata = Ort.InferenceSession.TensorValueMetadata;

function readPast(input: TensorMetadata): Past {
  const { name, type, shape } = input;
  const [, layer, part] = pastName.exec(name)!;
  if (type !== 'float32' && type !== 'float16')
    throw new OnnxError(`${name} is ${type}: a cache of float32 or float16 is supported.`);
  const [, heads, , headDim] = shape;
  if (shape.length !== 4 || typeof heads !== 'number' || typeof headDim !== 'number')
    throw new OnnxError(
      `${name} is (${shape.join(', ')}): its shape must be (batch, heads, past, head size) with fixed heads and head size.`,
    );
  return { name, present: `present.${layer}.${part}`, type, heads, headDim };
}

export class OnnxSession {
  readonly vocabSize: number;
  private readonly past: Past[];
  private readonly inputs: ReadonlySet<string>;

  private constructor(
    private readonly ort: OnnxRuntime,
    private readonly session: Ort.InferenceSession,
    readonly backend: OnnxBackend,
  ) {
    const tensors = session.inputMetadata.filter((input): input is TensorMetadata => input.isTensor);
    const unknown = session.inputNames.filter((name) => !plainInputs.includes(name) && !pastName.test(name));
    if (unknown.length || !session.inputNames.includes('input_ids'))
      throw new OnnxError(
        `This ONNX model takes ${session.inputNames.join(', ')}: it must have the inputs of a causal language model with a cache` +
          `${unknown.length ? ` (${unknown.join(', ')} ${unknown.length > 1 ? 'are' : 'is'} not part of it)` : ''}.`,
      );
    this.inputs = new Set(session.inputNames);
    this.past = tensors.filter(({ name }) => pastName.test(name)).map(readPast);
    this.vocabSize = this.readOutputs();
  }

  private readOutputs(): number {
    const { outputNames, outputMetadata } = this.session;
    const missing = ['logits', ...this.past.map(({ present }) => present)].filter(
      (name) => !outputNames.includes(name),
    );
    if (!this.past.length) missing.push('past_key_values');
    if (missing.length)
      throw new OnnxError(
        `This ONNX model has no ${missing.join(', ')}: export it for text generation, with its cache.`,
      );
    const logits = outputMetadata[outputNames.indexOf('logits')];
    const vocab = logits.isTensor ? logits.shape.at(-1) : undefined;
    return typeof vocab === 'number' ? vocab : 0;
  }

  static async create(source: OnnxSource, backend: OnnxBackend): Promise<OnnxSession> {
    const ort = await onnxRuntime(backend);
    const options: Ort.InferenceSession.SessionOptions = {
      executionProviders: [backend],
      externalData: source.external?.map(({ path, data }) => ({ path, data })),
    };
    if (backend === 'webgpu') options.preferredOutputLocation = await cacheOnGpu(source);
    try {
      const session = await ort.InferenceSession.create(source.model, options);
      return new OnnxSession(ort, session, backend);
    } catch (error) {
      if (error instanceof OnnxError) throw error;
      throw new OnnxError(`The ONNX runtime refuses this model: ${(error as Error).message}`);
    }
  }

  empty(): OnnxCache {
    const tensors = this.past.map(({ name, type, heads, headDim }) => {
      const none = type === 'float32' ? new Float32Array(0) : new Uint16Array(0);
      return [name, new this.ort.Tensor(type, none as Float32Array, [1, heads, 0, headDim])] as const;
    });
    return new OnnxCache(0, new Map(tensors));
  }

  /**
   * Runs S tokens after `cache`. Returns logits (S, V) for `all`, else (1, V) of the last token. The caller must
   * release the returned cache; the given one is unchanged.
   */
  async run(
    tokens: ArrayLike<number>,
    cache: OnnxCache,
    keep: 'all' | 'last',
  ): Promise<{ logits: Float32Array; cache: OnnxCache }> {
    const feeds = this.feeds(tokens, cache, keep);
    const outputs = await this.session.run(feeds);
    const next = new OnnxCache(
      cache.length + tokens.length,
      new Map(this.past.map(({ name, present }) => [name, outputs[present]])),
    );
    const { data, dims } = outputs.logits;
    const width = dims[dims.length - 1];
    const rows = toFloats(data);
    return { logits: keep === 'all' ? rows : rows.subarray(rows.length - width), cache: next };
  }

  private feeds(tokens: ArrayLike<number>, cache: OnnxCache, keep: 'all' | 'last'): Ort.InferenceSession.FeedsType {
    const S = tokens.length;
    const integers = (name: string, dims: number[], value: (i: number) => number) => {
      if (!this.inputs.has(name)) return {};
      const size = dims.reduce((a, b) => a * b, 1);
      const values = BigInt64Array.from({ length: size }, (_, i) => BigInt(value(i)));
      return { [name]: new this.ort.Tensor('int64', values, dims) };
    };
    return {
      ...integers('input_ids', [1, S], (i) => tokens[i]),
      ...integers('attention_mask', [1, cache.length + S], () => 1),
      ...integers('position_ids', [1, S], (i) => cache.length + i),
      ...integers('num_logits_to_keep', [], () => (keep === 'all' ? S : 1)),
      ...Object.fromEntries(cache.tensors),
    };
  }

  async destroy(): Promise<void> {
    await this.session.release();
  }
}

/**
 * Output locations: everything except the logits stays on the GPU. The model is parsed for the names of its outputs.
 */
async function cacheOnGpu(source: OnnxSource) {
  const { decodeOnnx } = await import('./proto.ts');
  const names = decodeOnnx(source.model).graph.output.map(({ name }) => name);
  return Object.fromEntries(names.map((name) => [name, name === 'logits' ? 'cpu' : 'gpu-buffer'] as const));
}

function toFloats(data: Ort.Tensor.DataType): Float32Array {
  if (data instanceof Float32Array) return data;
  if (data instanceof Uint16Array) return widenF16(data);
  return Float32Array.from(data as unknown as ArrayLike<number>);
}
