/**
 * Costs of packing a real model's GGUF file, on the processor: the model is loaded in f32 (its blocks dequantised), int8
 * and int4 as the page loads it, and scores the same tokens: passages of plain text (this project's docs) and prompts of
 * the worlds. "f32" is the file itself; the original weights from which the file was made are not measured.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { WasmDevice } from '../../src/device/wasm/device.ts';
import { promptRulesOf } from '../../src/envs/env.ts';
import { assetsOf } from '../../src/models/base-model.ts';
import type { PreparedModel } from '../../src/models/loader.ts';
import { processorChoices } from '../../src/policy/engine/kernel-choices.ts';
import { Model } from '../../src/policy/engine/model.ts';
import { Tokenizer } from '../../src/policy/text/tokenizer.ts';
import { planBase } from '../../src/policy/weights/base.ts';
import type { Precision } from '../../src/policy/weights/linear.ts';
import { conversationOf } from '../../src/rl/episode/conversation-files.ts';
import { conversationFiles } from '../../src/session/chat-assets.ts';
import { openWorld, worldModule, worldNames } from '../../src/worlds/registry.ts';
import { ggufModel } from '../gguf-model.ts';
import { type InspectedModel, inspected } from '../golden/inspected-model.ts';
import { compareLogits } from './costs.ts';

export interface FileReportOptions {
  /** Number of passages of plain text, and of prompts of the worlds. */
  passages: number;
  prompts: number;
  /** Tokens of a passage, and the largest number of a prompt, whose end is kept. */
  tokens: number;
  threads: number;
  /** Another GGUF file of the same model, measured with its own values; null: none. */
  beside: string | null;
}

const precisions = ['f32', 'int8', 'int4'] as const satisfies readonly Precision[];

/** Model to measure, with the name and size of its lines. The first one is the reference. */
interface Measured {
  name: string;
  megabytes: number;
  model: PreparedModel;
}
const worlds = ['textcraft', 'babyai', 'maze', 'wordle'].filter((name) => worldNames.includes(name));

/** Passages that are spread over all texts of the docs. */
function passagesOf(tokenizer: Tokenizer, { passages, tokens }: FileReportOptions): Int32Array[] {
  const files = readdirSync('docs').filter((name) => name.endsWith('.md'));
  const text = files.map((name) => readFileSync(join('docs', name), 'utf8')).join('\n');
  const step = Math.floor(text.length / Math.max(1, passages));
  // Eight characters a token are always enough.
  return Array.from({ length: passages }, (_, i) =>
    Int32Array.from(tokenizer.encode(text.slice(i * step, i * step + 8 * tokens)).slice(0, tokens)),
  );
}

/** First prompts of the worlds' tasks, in turn. */
async function promptsOf(
  model: PreparedModel,
  tokenizer: Tokenizer,
  options: FileReportOptions,
): Promise<Int32Array[]> {
  const conversation = await conversationOf(tokenizer, conversationFiles(assetsOf(model), model.config.eosTokens));
  const each = Math.ceil(options.prompts / worlds.length);
  const found: Int32Array[] = [];
  for (const name of worlds) {
    const world = await openWorld(name);
    const tasks = (await world.tasks({}, 'train')).slice(0, each);
    const starts = await world.reset([...tasks.keys()], tasks);
    for (const [i, { observation }] of starts.entries()) {
      const { instruction, acknowledgement } = promptRulesOf(worldModule(name), tasks[i]);
      const { tokens } = conversation.prompt(observation, instruction, acknowledgement);
      found.push(Int32Array.from(tokens.slice(-options.tokens)));
    }
  }
  return found.slice(0, options.prompts);
}

interface Sums {
  positions: number;
  divergence: number;
  agreement: number;
  /** Sum of the negative log-probabilities of the next tokens, and their number. */
  nll: number;
  scored: number;
}

/** Negative log-probability of each next token, summed. */
function negativeLogLikelihood(logits: Float32Array, tokens: Int32Array, vocabulary: number): number {
  let sum = 0;
  for (let t = 0; t + 1 < tokens.length; t++) {
    const row = logits.subarray(t * vocabulary, (t + 1) * vocabulary);
    const most = row.reduce((a, b) => Math.max(a, b), -Infinity);
    const total = row.reduce((a, b) => a + Math.exp(b - most), 0);
    sum += most + Math.log(total) - row[tokens[t + 1]];
  }
  return sum;
}

class Scorer {
  private constructor(
    private readonly device: WasmDevice,
    private readonly model: InspectedModel,
  ) {}

  static async open(prepared: PreparedModel, { tokens, threads }: FileReportOptions): Promise<Scorer> {
    const device = await WasmDevice.open({ threads });
    const sizes = { rows: 1, groups: 1, promptTokens: 8, completionTokens: 8 };
    const model = await Model.create(device, prepared.config, {
      capacity: { ...sizes, batchTokens: tokens, batchScored: tokens },
      weights: prepared.pieces({ signal: new AbortController().signal }),
      precision: prepared.precision,
      choices: processorChoices,
      trainable: false,
      reference: false,
    });
    return new Scorer(device, inspected(model));
  }

  logits(tokens: Int32Array): Promise<Float32Array> {
    const segments = [{ start: 0, end: tokens.length, parent: -1 }];
    return this.model.logits({ tokens, segments, scored: Int32Array.of(1), allowed: null });
  }

  close(): void {
    this.model.destroy();
    this.device.destroy();
  }
}

type Line = Pick<Measured, 'name' | 'megabytes'>;

function line(
  kind: string,
  { name, megabytes }: Line,
  { positions, divergence, agreement, nll, scored }: Sums,
): string {
  const cost =
    name === 'f32'
      ? '| 0 | 100.0% '
      : `| ${(divergence / positions).toExponential(1)} | ${((100 * agreement) / positions).toFixed(1)}% `;
  const perplexity = Math.exp(nll / scored).toFixed(2);
  return `| ${kind} | ${name} | ${megabytes.toFixed(0)} | ${positions} ${cost}| ${perplexity} |`;
}

/** Table of divergence, agreement of the most likely token, and perplexity, for text and prompts. */
export async function fileReport(path: string, options: FileReportOptions): Promise<string> {
  const measured = await measuredModels(path, options.beside);
  const models = measured.map(({ model }) => model);
  const json = (name: string) => JSON.parse(models[0].texts[name]);
  const tokenizer = new Tokenizer(json('tokenizer.json'), json('tokenizer_config.json'));
  const inputs: [string, Int32Array[]][] = [
    ['text', passagesOf(tokenizer, options)],
    ['prompts', await promptsOf(models[0], tokenizer, options)],
  ];
  const scorers: Scorer[] = [];
  for (const model of models) scorers.push(await Scorer.open(model, options));
  const lines = [
    '| tokens of | precision | MB | positions | divergence (nats) | same first token | perplexity |',
    '|---|---|---:|---:|---:|---:|---:|',
  ];
  for (const [kind, texts] of inputs)
    lines.push(...(await linesOf(kind, texts, scorers, measured, models[0].config.vocabSize)));
  for (const scorer of scorers) scorer.close();
  return `${lines.join('\n')}\n`;
}

/**
 * Measures the file at each precision, and the other file with its own values; the size of the other file is the bytes
 * of its tensors.
 */
async function measuredModels(path: string, beside: string | null): Promise<Measured[]> {
  const measured: Measured[] = [];
  for (const precision of precisions) {
    const model = await ggufModel(path, precision);
    const bytes = planBase(model.config, precision, 2 ** 31, model.formats);
    measured.push({ name: precision, megabytes: bytes / 1e6, model });
  }
  if (!beside) return measured;
  const model = await ggufModel(beside, 'f32');
  return [...measured, { name: basename(beside), megabytes: model.totalBytes / 1e6, model }];
}

/** Texts after which the lines so far are printed. */
const textsBetweenLines = 10;

async function linesOf(
  kind: string,
  texts: Int32Array[],
  scorers: Scorer[],
  names: readonly Line[],
  vocabulary: number,
): Promise<string[]> {
  const sums = names.map((): Sums => ({ positions: 0, divergence: 0, agreement: 0, nll: 0, scored: 0 }));
  const lines = () => sums.map((sum, i) => line(kind, names[i], sum));
  for (const [n, tokens] of texts.entries()) {
    const expected = await scorers[0].logits(tokens);
    for (const [i, sum] of sums.entries()) {
      const got = i === 0 ? expected : await scorers[i].logits(tokens);
      const { positions, divergence, agreement } = compareLogits(expected, got, vocabulary);
      sum.positions += positions;
      sum.divergence += divergence * positions;
      sum.agreement += agreement * positions;
      sum.nll += negativeLogLikelihood(got, tokens, vocabulary);
      sum.scored += tokens.length - 1;
    }
    if ((n + 1) % textsBetweenLines === 0) console.log(`${n + 1} of ${texts.length}\n${lines().join('\n')}`);
  }
  return lines();
}
