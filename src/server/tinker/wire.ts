/**
 * Messages that Tinker's SDK sends and reads as protocol buffers (package tinker_public of tinker 0.38.0): training
 * data, and the results of training and sampling. Contains field names and numbers only.
 */
import protobuf from 'protobufjs/light.js';
import { type Datum, RefusedError, type Sample, type Scored } from './trained-model.ts';

type Field = { type: string; id: number; rule?: 'repeated'; keyType?: 'string' };
const one = (type: string, id: number): Field => ({ type, id });
const many = (type: string, id: number): Field => ({ type, id, rule: 'repeated' });
const map = (type: string, id: number): Field => ({ keyType: 'string', type, id });

const messages: { [message: string]: { [field: string]: Field } } = {
  ForwardBackwardRequest: {
    modelId: one('string', 1),
    seqId: one('int32', 2),
    data: many('Datum', 3),
    lossFn: one('string', 4),
    lossFnConfig: map('double', 5),
    forwardOnly: one('bool', 6),
    lossFnConfigV2: map('LossConfigValue', 7),
  },
  LossConfigValue: { number: one('double', 1), text: one('string', 2) },
  Datum: {
    modelInput: many('Chunk', 1),
    lossFnInputs: map('Tensor', 2),
    modelInputSpans: many('Unread', 3),
    lossFnInputSpans: many('Unread', 4),
  },
  Unread: {},
  Chunk: { encodedText: one('EncodedText', 1), image: one('Unread', 2), dmel: one('Unread', 3) },
  EncodedText: { tokens: one('bytes', 1) },
  Tensor: { dense: one('bytes', 1), sparseCsr: one('Unread', 2), dtype: one('int32', 3), shape: many('int64', 4) },
  ForwardBackwardOutput: {
    lossFnOutputType: one('string', 1),
    lossFnOutputs: many('ArrayRecord', 2),
    metrics: map('double', 3),
  },
  ArrayRecord: { typeTag: one('string', 1), fields: map('BatchedTensor', 2), numDatums: one('int64', 3) },
  BatchedTensor: { data: one('bytes', 1), offsets: one('bytes', 2), dtype: one('int32', 3) },
  SampleResponse: { sequences: many('SampledSequence', 1), promptLogprobs: one('bytes', 2) },
  SampledSequence: { stopReason: one('int32', 1), tokens: one('bytes', 2), logprobs: one('bytes', 3) },
};

const nested = Object.fromEntries(Object.entries(messages).map(([name, fields]) => [name, { fields }]));
const root = protobuf.Root.fromJSON({ nested } as protobuf.INamespace);
const typeOf = (name: string) => root.lookupType(name);

const float32 = 1;
const int64 = 2;
const stopReasons = { stop: 0, length: 1 } as const;

interface TensorMessage {
  dense?: Uint8Array;
  sparseCsr?: object;
  dtype: number;
  shape: number[];
}

interface RequestMessage {
  modelId: string;
  seqId: number;
  lossFn: string;
  lossFnConfig: { [name: string]: number };
  lossFnConfigV2: { [name: string]: { number?: number; text?: string } };
  forwardOnly: boolean;
  data: {
    modelInput: { encodedText?: { tokens: Uint8Array }; image?: object; dmel?: object }[];
    lossFnInputs: { [name: string]: TensorMessage };
    modelInputSpans: object[];
    lossFnInputSpans: object[];
  }[];
}

/** A copy at an address that typed arrays accept. A Buffer's own `slice` would not copy. */
const aligned = (bytes: Uint8Array) => new Uint8Array(bytes).buffer;

/** A tensor with one number for each position. */
function numbersOf(name: string, { dense, sparseCsr, dtype, shape }: TensorMessage, count: number): Float64Array {
  if (sparseCsr || shape.length > 1)
    throw new RefusedError(
      `loss_fn_inputs.${name} must have one number for each position: it has ${shape.length} dimensions.`,
    );
  const width = dtype === int64 ? 8 : 4;
  if ((dtype !== float32 && dtype !== int64) || !dense || dense.length % width)
    throw new RefusedError(`loss_fn_inputs.${name} must be a tensor of float32 or int64.`);
  const numbers =
    dtype === int64
      ? Float64Array.from(new BigInt64Array(aligned(dense)), Number)
      : Float64Array.from(new Float32Array(aligned(dense)));
  if (numbers.length !== count)
    throw new RefusedError(`loss_fn_inputs.${name} has ${numbers.length} numbers for ${count} positions.`);
  const wrong = numbers.find((each) => !Number.isFinite(each));
  if (wrong !== undefined) throw new RefusedError(`loss_fn_inputs.${name} contains ${wrong}.`);
  return numbers;
}

function datumOf({
  modelInput,
  lossFnInputs,
  modelInputSpans,
  lossFnInputSpans,
}: RequestMessage['data'][number]): Datum {
  if (modelInputSpans.length || lossFnInputSpans.length)
    throw new RefusedError('The provenance of tokens is not honoured: send data without with_provenance.');
  const chunks = modelInput.map(({ encodedText }) => {
    if (!encodedText || encodedText.tokens.length % 4)
      throw new RefusedError('model_input must be tokens: images and audio are not honoured.');
    return new Int32Array(aligned(encodedText.tokens));
  });
  const tokens = Int32Array.from(chunks.flatMap((chunk) => [...chunk]));
  const { target_tokens: targets, ...columns } = lossFnInputs;
  if (!targets) throw new RefusedError('loss_fn_inputs.target_tokens is missing.');
  return {
    tokens,
    targets: Int32Array.from(numbersOf('target_tokens', targets, tokens.length)),
    columns: Object.fromEntries(
      Object.entries(columns).map(([name, tensor]) => [
        name,
        Float32Array.from(numbersOf(name, tensor, tokens.length)),
      ]),
    ),
  };
}

export interface TrainingRequest {
  modelId: string;
  seqId: number;
  loss: string;
  settings: { [name: string]: number };
  forwardOnly: boolean;
  data: Datum[];
}

/** Throws a RefusedError for bytes that are not a request, or ask for what is not honoured. */
export function readTraining(bytes: Uint8Array | undefined): TrainingRequest {
  const type = typeOf('ForwardBackwardRequest');
  let message: RequestMessage;
  try {
    const options = { longs: Number, arrays: true, objects: true, defaults: false };
    message = type.toObject(type.decode(bytes ?? new Uint8Array(0)), options) as RequestMessage;
  } catch (error) {
    throw new RefusedError(`The body is not a forward_backward request: ${(error as Error).message}`);
  }
  const settings = { ...message.lossFnConfig };
  for (const [name, { number, text }] of Object.entries(message.lossFnConfigV2)) {
    if (text !== undefined) throw new RefusedError(`loss_fn_config.${name} must be a number.`);
    settings[name] = number ?? 0;
  }
  const { modelId = '', seqId = 0, lossFn = '', forwardOnly = false } = message;
  return { modelId, seqId, loss: lossFn, settings, forwardOnly, data: message.data.map(datumOf) };
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Int32Array | Float32Array | BigInt64Array) =>
  new Uint8Array(buffer, byteOffset, byteLength);

/** Rows of a batch with the offsets of its data in bytes. */
function batched(rows: readonly Float32Array[]) {
  const offsets = new BigInt64Array(rows.length + 1);
  for (const [k, row] of rows.entries()) offsets[k + 1] = offsets[k] + BigInt(row.byteLength);
  const data = Float32Array.from(rows.flatMap((row) => [...row]));
  return { data: bytesOf(data), offsets: bytesOf(offsets), dtype: float32 };
}

const encoded = (name: string, message: object) => {
  const type = typeOf(name);
  return type.encode(type.fromObject(message)).finish();
};

export function writeScored(scored: readonly Scored[]): Uint8Array {
  const loss = scored.reduce((sum, { losses }) => losses.reduce((all, each) => all + each, sum), 0);
  const fields = {
    logprobs: batched(scored.map(({ logprobs }) => logprobs)),
    elementwise_loss: batched(scored.map(({ losses }) => Float32Array.from(losses))),
  };
  return encoded('ForwardBackwardOutput', {
    lossFnOutputType: 'ArrayRecord',
    lossFnOutputs: [{ typeTag: 'ArrayRecord', fields, numDatums: scored.length }],
    metrics: { 'loss:sum': loss },
  });
}

export function writeSamples(samples: readonly Sample[], promptLogprobs: Float32Array | null): Uint8Array {
  const sequences = samples.map(({ tokens, logprobs, ending }) => ({
    stopReason: stopReasons[ending],
    tokens: bytesOf(Int32Array.from(tokens)),
    logprobs: bytesOf(Float32Array.from(logprobs)),
  }));
  return encoded('SampleResponse', { sequences, ...(promptLogprobs && { promptLogprobs: bytesOf(promptLogprobs) }) });
}
