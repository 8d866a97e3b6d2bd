/**
 * A client of Tinker's protocol in the test: it writes and reads the messages tag by tag, as recorded from the SDK, and
 * shares nothing with `src/server/tinker/wire.ts`.
 */
import protobuf from 'protobufjs/light.js';
import { expect } from 'vitest';

export interface TestDatum {
  tokens: number[];
  targets: number[];
  columns: { [name: string]: number[] };
}

const nested = (writer: protobuf.Writer, field: number, fill: (inner: protobuf.Writer) => void) => {
  fill(writer.uint32((field << 3) | 2).fork());
  writer.ldelim();
};
const bytes = (writer: protobuf.Writer, field: number, { buffer }: { buffer: ArrayBufferLike }) =>
  writer.uint32((field << 3) | 2).bytes(new Uint8Array(buffer));

const tensor = (writer: protobuf.Writer, name: string, values: number[], whole: boolean) =>
  nested(writer, 2, (entry) => {
    entry.uint32(10).string(name);
    nested(entry, 2, (value) => {
      bytes(value, 1, whole ? BigInt64Array.from(values, BigInt) : Float32Array.from(values));
      value.uint32(24).int32(whole ? 2 : 1);
      nested(value, 4, (shape) => shape.int64(values.length));
    });
  });

/** The body of forward_backward. */
function trainingBody(
  model: string,
  seq: number,
  loss: string,
  data: TestDatum[],
  forwardOnly: boolean,
  config: object,
) {
  const writer = protobuf.Writer.create();
  writer.uint32(10).string(model).uint32(16).int32(seq);
  for (const { tokens, targets, columns } of data)
    nested(writer, 3, (datum) => {
      nested(datum, 1, (chunk) => nested(chunk, 1, (text) => bytes(text, 1, Int32Array.from(tokens))));
      tensor(datum, 'target_tokens', targets, true);
      for (const [name, values] of Object.entries(columns)) tensor(datum, name, values, false);
    });
  writer.uint32(34).string(loss).uint32(48).bool(forwardOnly);
  for (const [name, value] of Object.entries(config))
    nested(writer, 7, (entry) => {
      entry.uint32(10).string(name);
      nested(entry, 2, (setting) => setting.uint32(9).double(value));
    });
  return writer.finish();
}

/** Fields of a message with a length, by number. */
function parts(message: Uint8Array): { field: number; value: Uint8Array }[] {
  const reader = protobuf.Reader.create(message);
  const found = [];
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if ((tag & 7) === 2) found.push({ field: tag >>> 3, value: new Uint8Array(reader.bytes()) });
    else reader.skipType(tag & 7);
  }
  return found;
}

const only = (message: Uint8Array, field: number) => parts(message).find((part) => part.field === field)!.value;
const floats = (part: Uint8Array) => [...new Float32Array(part.buffer)];

/** Results of forward_backward: a list for each datum, by name. */
function outputs(message: Uint8Array): { [name: string]: number[][] } {
  const record = only(message, 2);
  const fields = parts(record).filter(({ field }) => field === 2);
  return Object.fromEntries(
    fields.map(({ value: entry }) => {
      const batched = only(entry, 2);
      const data = only(batched, 1);
      const offsets = [...new BigInt64Array(only(batched, 2).buffer)].map(Number);
      const rows = offsets.slice(1).map((end, k) => floats(data.slice(offsets[k], end)));
      return [new TextDecoder().decode(only(entry, 1)), rows];
    }),
  );
}

function samples(message: Uint8Array) {
  const sequences = parts(message).filter(({ field }) => field === 1);
  const prompt = parts(message).find(({ field }) => field === 2);
  return {
    sequences: sequences.map(({ value }) => ({
      tokens: [...new Int32Array(only(value, 2).buffer)],
      logprobs: floats(only(value, 3)),
    })),
    promptLogprobs: prompt ? floats(prompt.value) : null,
  };
}

/** Saved states in memory. */
export function heldStates() {
  const saved = new Map<string, Uint8Array>();
  const files = {
    read: (place: object) => saved.get(JSON.stringify(place)) ?? null,
    write: (place: object, bytes: Uint8Array) => void saved.set(JSON.stringify(place), bytes),
  };
  return { saved, files };
}

export const adam = { learning_rate: 0.01, beta1: 0.9, beta2: 0.95, eps: 0.01, weight_decay: 0.1, grad_clip_norm: 1 };

export class TinkerClient {
  private seq = 0;
  session = '';
  private models = 0;
  private samplers = 0;

  constructor(private readonly address: string) {}

  async send(path: string, body: object | Uint8Array) {
    const payload = body instanceof Uint8Array ? body.slice() : JSON.stringify(body);
    return fetch(`${this.address}/api/v1/${path}`, { method: 'POST', body: payload });
  }

  async json(path: string, body: object) {
    const answer = await this.send(path, body);
    return { status: answer.status, body: await answer.json() };
  }

  /** The answer of a request that is retrieved. */
  private async retrieved(path: string, body: object | Uint8Array): Promise<Response> {
    const sent = await this.send(path, body);
    const { request_id, detail } = await sent.json();
    if (detail) throw new Error(detail);
    const answer = await this.send('retrieve_future', { request_id, allow_metadata_only: true });
    expect(answer.status).toBe(200);
    return answer;
  }

  /** A result as JSON. */
  async result(path: string, body: object | Uint8Array) {
    const { error, ...value } = await (await this.retrieved(path, body)).json();
    if (error) throw new Error(error);
    return value;
  }

  private async message(path: string, body: object | Uint8Array): Promise<Uint8Array> {
    const answer = await this.retrieved(path, body);
    expect(answer.headers.get('content-type')).toBe('application/x-protobuf');
    return new Uint8Array(await answer.arrayBuffer());
  }

  async open(): Promise<void> {
    const body = { tags: [], user_metadata: {}, sdk_version: '0.38.0', type: 'create_session' };
    this.session = (await this.json('create_session', body)).body.session_id;
  }

  createModel = async (base: string, lora: object = { rank: 0 }): Promise<string> =>
    (
      await this.result('create_model', {
        ...{ session_id: this.session, model_seq_id: this.models++, base_model: base, type: 'create_model' },
        lora_config: { train_unembed: true, train_mlp: true, train_attn: true, ...lora },
        optimizer_config: { type: 'adamw' },
      })
    ).model_id;

  loadModel = async (path: string, optimizer: boolean): Promise<string> =>
    (await this.result('load_weights', { session_id: this.session, model_seq_id: this.models++, path, optimizer }))
      .model_id;

  train = async (model: string, loss: string, data: TestDatum[], { forwardOnly = false, config = {} } = {}) =>
    outputs(await this.message('forward_backward', trainingBody(model, ++this.seq, loss, data, forwardOnly, config)));

  step = (model: string, settings: object = adam) =>
    this.result('optim_step', { model_id: model, seq_id: ++this.seq, adam_params: settings, type: 'optim_step' });

  save = async (model: string, path: string, more: object = {}): Promise<string> =>
    (await this.result('save_weights', { model_id: model, seq_id: ++this.seq, path, overwrite: false, ...more })).path;

  sampler = async (model: string): Promise<string> =>
    (
      await this.result('save_weights_for_sampler', {
        ...{ model_id: model, seq_id: ++this.seq, sampling_session_seq_id: this.samplers++, kind: 'snapshot' },
      })
    ).sampling_session_id;

  samplerOf = async (given: object): Promise<string> =>
    (
      await this.json('create_sampling_session', {
        ...{ session_id: this.session, sampling_session_seq_id: this.samplers++, ...given },
      })
    ).body.sampling_session_id;

  sample = async (sampler: string, prompt: number[], params: object = {}, more: object = {}) =>
    samples(
      await this.message('asample', {
        ...{ sampling_session_id: sampler, seq_id: ++this.seq, num_samples: 1, type: 'sample', ...more },
        prompt: { chunks: [{ tokens: prompt, type: 'encoded_text' }] },
        sampling_params: { temperature: 1, top_k: -1, top_p: 1, ...params },
      }),
    );
}
