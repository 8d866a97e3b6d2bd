/**
 * `npm run quant-report [-- --write]`: measures the cost of int8 and int4 weights in logits and in the most likely
 * token, and of an int8 K/V cache between rollout and training, on the recorded models, a trained small one and a
 * random wide one. Exits non-zero if a stated bound is exceeded. With --write it stores the table in bench/results/.
 * `-- --file MODEL.gguf [--beside OTHER.gguf --passages 50 --prompts 200 --tokens 96]` measures a real model's
 * file instead, on the processor.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Command, Option } from 'commander';
import { Gpu } from '../../src/device/webgpu/device.ts';
import { nodeGpu } from '../../src/library/node/gpu.ts';
import { parseConfig } from '../../src/policy/config.ts';
import { Model } from '../../src/policy/engine/model.ts';
import { loadCheckpoint } from '../../src/policy/formats/checkpoint.ts';
import { readSafetensors } from '../../src/policy/formats/safetensors.ts';
import { initWeights } from '../../src/policy/weights/init.ts';
import { packInputs, packSequences } from '../golden/case.ts';
import { inspected } from '../golden/inspected-model.ts';
import {
  bounds,
  costsOf,
  exceeded,
  gapExceeded,
  type KvGap,
  kvBounds,
  kvGapOf,
  type LogitsOf,
  type PolicyWith,
  type QuantisationCase,
  type QuantisationCost,
} from './costs.ts';
import { fileReport } from './file-report.ts';
import { copyGguf } from './gguf-copy.ts';

const read = (folder: string, name: string) => new Uint8Array(readFileSync(join(folder, name)));

function checkpointOf(folder: string) {
  return loadCheckpoint({
    config: readFileSync(join(folder, 'config.json'), 'utf8'),
    model: read(folder, 'model.safetensors'),
  });
}

/** Every recorded model; the trained one is tested on its own recorded continuation. */
function recordedCases(goldenDir: string): QuantisationCase[] {
  const cases: QuantisationCase[] = [];
  for (const name of readdirSync(goldenDir).sort()) {
    const folder = join(goldenDir, name);
    if (!existsSync(join(folder, 'model.safetensors'))) continue;
    const { config, tensors } = checkpointOf(folder);
    const known = { name, config, weights: tensors };
    if (existsSync(join(folder, 'inputs.safetensors'))) {
      const { batch } = packInputs(readSafetensors(read(folder, 'inputs.safetensors')));
      cases.push({ ...known, batch, random: true });
    } else if (existsSync(join(folder, 'expected.json'))) {
      const expected = JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8'));
      const tokens = Int32Array.from(expected.greedy_ids);
      cases.push({ ...known, batch: packSequences(tokens, [0, tokens.length]), random: false });
    }
  }
  return cases;
}

/** A random model as wide as Qwen2.5-0.5B, with two layers, and a vocabulary small enough for a software adapter. */
function wideCase(): QuantisationCase {
  const config = parseConfig({
    model_type: 'qwen2',
    vocab_size: 4096,
    hidden_size: 896,
    intermediate_size: 4864,
    num_hidden_layers: 2,
    num_attention_heads: 14,
    num_key_value_heads: 2,
    rope_theta: 1e6,
    tie_word_embeddings: true,
  });
  const tokens = Int32Array.from({ length: 64 }, (_, t) => (t * 1_543 + 7) % config.vocabSize);
  const weights = initWeights(config, { seed: 1, std: 0.05 });
  return { name: 'random, 896 wide', config, weights, batch: packSequences(tokens, [0, tokens.length]), random: true };
}

const logitsOn =
  (gpu: Gpu): LogitsOf =>
  async (config, weights, precision, batch) => {
    const T = batch.tokens.length;
    const capacity = { rows: 1, groups: 1, promptTokens: 1, completionTokens: 1, batchTokens: T, batchScored: T };
    const model = inspected(
      await Model.create(gpu, config, { capacity, weights, precision, trainable: false, reference: false }),
    );
    try {
      return await model.logits(batch);
    } finally {
      model.destroy();
    }
  };

function table(costs: readonly QuantisationCost[]): string {
  const lines = [
    '| model | precision | positions | relative error | largest error | divergence (nats) | same first token | where clear |',
    '|---|---|---:|---:|---:|---:|---:|---:|',
    ...costs.map(
      (c) =>
        `| ${c.name} | ${c.precision} | ${c.positions} | ${c.relativeError.toFixed(4)} | ${c.largestError.toFixed(3)} | ` +
        `${c.divergence.toExponential(1)} | ${(100 * c.agreement).toFixed(1)}% | ${(100 * c.clearAgreement).toFixed(1)}% |`,
    ),
  ];
  return `${lines.join('\n')}\n`;
}

const policyOn =
  (gpu: Gpu): PolicyWith =>
  ({ config, weights }, kvCache, capacity) =>
    Model.create(gpu, config, { capacity, weights, kvCache, trainable: false, reference: false }).then(inspected);

function gapTable(gaps: readonly KvGap[]): string {
  const lines = [
    '| model | K/V cache | sampled tokens | mean gap (nats) | largest gap |',
    '|---|---|---:|---:|---:|',
    ...gaps.map(
      (g) => `| ${g.name} | ${g.kvCache} | ${g.tokens} | ${g.mean.toExponential(1)} | ${g.max.toExponential(1)} |`,
    ),
  ];
  return `${lines.join('\n')}\n`;
}

/** Gaps of both cache precisions, for every case. */
async function kvGaps(gpu: Gpu, cases: readonly QuantisationCase[]): Promise<KvGap[]> {
  const gaps: KvGap[] = [];
  for (const test of cases) {
    for (const kvCache of ['f32', 'int8'] as const) gaps.push(await kvGapOf(test, kvCache, policyOn(gpu)));
    console.log(gapTable(gaps.slice(-2)));
  }
  return gaps;
}

const program = new Command('quant-report')
  .description('Compares logits and first tokens of int8 and int4 models with those of f32.')
  .option('--write', 'store the table in bench/results', false)
  .addOption(new Option('--only <part>', 'part to measure').choices(['weights', 'kv']))
  .option('--model <text>', 'only models whose names contain this text', '')
  .option('--no-wide', 'leave out the wide random model')
  .option('--file <model.gguf>', 'measure this file, on the processor, instead of the recorded models')
  .option('--passages <n>', 'passages of plain text for --file', '50')
  .option('--prompts <n>', "prompts of the worlds' tasks for --file", '200')
  .option('--tokens <n>', 'tokens of a passage, and at most of a prompt, for --file', '96')
  .option('--threads <n>', 'threads for --file', '2')
  .option('--beside <other.gguf>', 'another file of the same model, measured beside --file')
  .option('--save <copy.gguf>', 'write the model of --file in f32 instead of measuring it')
  .addOption(new Option('--off-grid <how>', "values of --save off the blocks' grid").choices(['shifted', 'merged']))
  .option('--adapter <folder>', "adapter in PEFT's layout for --off-grid merged");

type FileTexts = { [option in 'passages' | 'prompts' | 'tokens' | 'threads']: string };

async function main(): Promise<boolean> {
  type Options = {
    write: boolean;
    wide: boolean;
    only?: 'weights' | 'kv';
    model: string;
    file?: string;
    beside?: string;
    save?: string;
    offGrid?: 'shifted' | 'merged';
    adapter?: string;
  };
  const { write, wide, only, model, file, beside = null, ...rest } = program.parse().opts<Options & FileTexts>();
  if (file !== undefined && rest.save !== undefined) {
    await copyGguf(file, rest.save, { offGrid: rest.offGrid ?? null, adapter: rest.adapter ?? null });
    console.log(`wrote ${rest.save}`);
    return true;
  }
  if (file !== undefined) {
    const { passages, prompts, tokens, threads } = rest;
    const numbers = { passages: Number(passages), prompts: Number(prompts), tokens: Number(tokens) };
    console.log(await fileReport(file, { ...numbers, threads: Number(threads), beside }));
    return true;
  }
  const goldenDir = join(resolve(process.env.TABGYM_GOLDEN ?? '../shared/golden'), 'model');
  if (!existsSync(goldenDir))
    console.log(
      `${goldenDir} is missing, so only the random model is measured. Set TABGYM_GOLDEN to the folder of golden data.`,
    );
  const all = [...(existsSync(goldenDir) ? recordedCases(goldenDir) : []), ...(wide ? [wideCase()] : [])];
  const cases = all.filter(({ name }) => name.includes(model));
  const gpu = await Gpu.open(await nodeGpu());
  const costs: QuantisationCost[] = [];
  for (const test of only === 'kv' ? [] : cases) {
    costs.push(...(await costsOf(test, logitsOn(gpu))));
    console.log(table(costs.slice(-2)));
  }
  const gaps = only === 'weights' ? [] : await kvGaps(gpu, cases);
  gpu.check();
  gpu.destroy();
  const report = `# What quantisation costs\n\nAgain: \`npm run quant-report -- --write\`\n\n${table(costs)}\n${gapTable(gaps)}`;
  if (write) {
    mkdirSync('bench/results', { recursive: true });
    writeFileSync('bench/results/quantisation.md', report);
    writeFileSync('bench/results/quantisation.json', `${JSON.stringify({ bounds, costs, kvBounds, gaps }, null, 1)}\n`);
    console.log('wrote bench/results/quantisation.md and .json');
  }
  const over = [...costs.flatMap(exceeded), ...gaps.flatMap(gapExceeded)];
  for (const line of over) console.error(line);
  return over.length === 0;
}

main().then(
  (ok) => process.exit(ok ? 0 : 1),
  (error: Error) => {
    console.error(error.stack);
    process.exit(1);
  },
);
