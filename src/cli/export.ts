/**
 * `npm run export -- FROM --format onnx|hf --out FOLDER`: writes a policy as files that other programs open. FROM is a
 * run (.tabgym), a policy's zip, a folder of a Hugging Face checkpoint, or a GGUF file. The output folder has the Hub's
 * layout, so that transformers, PEFT, onnxruntime and transformers.js find every file.
 */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { readPolicy, writePolicy } from '../library/files.ts';
import { NodeBaseModels } from '../library/node/base-models.ts';
import { wholeTensors } from '../models/whole-tensors.ts';
import { writeConfig } from '../policy/config.ts';
import { type Checkpoint, loadCheckpoint, saveCheckpoint } from '../policy/formats/checkpoint.ts';
import { isGguf } from '../policy/formats/gguf-name.ts';
import {
  readMetadata,
  readSafetensors,
  toFloat32,
  type WritableTensor,
  writeSafetensors,
} from '../policy/formats/safetensors.ts';
import { exportOnnx } from '../policy/onnx/export.ts';
import { specialTokens } from '../policy/text/tokenizer.ts';
import { tinyTokenizer } from '../session/text/tiny-tokenizer.ts';
import { fail } from './command-error.ts';
import { adapterFilesIn, adapterFolder } from './policy-folder.ts';
import { CommandError } from './training-run.ts';
import { writeFolder, writeWhole } from './whole-files.ts';

interface ExportOptions {
  // not a kind: the format of what is written
  format: 'onnx' | 'hf';
  out: string;
  operators: 'standard' | 'contrib';
  weights: 'float32' | 'int8' | 'int4';
  dtype: 'float32' | 'float16' | 'bfloat16';
  zip: boolean;
}

const utf8 = new TextDecoder();

/** A checkpoint, with a language model's conversation files if its folder has them. */
type WholeModel = Checkpoint & { chat?: { [name: string]: Uint8Array } };

/** A folder or a GGUF file, read as every command reads it. */
async function fromModel(path: string): Promise<WholeModel | AdapterExport> {
  const adapter = isGguf(path) ? null : adapterFolder(path);
  if (adapter) return { adapter: adapterFilesIn(adapter) };
  const model = await new NodeBaseModels().open(path, 'f32', { tokenizer: 'optional' });
  const { 'tokenizer.json': tokenizer = null, 'config.json': _, ...chat } = model.texts;
  const tensors = await wholeTensors(model);
  return { config: model.config, tensors, tokenizer, chat: encoded(chat) };
}

const encoded = (texts: { [name: string]: string }) =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, new TextEncoder().encode(text)]));

/** Files of an adapter in PEFT's layout. */
export interface AdapterExport {
  adapter: { [name: string]: Uint8Array };
}

/** An adapter's files unchanged, or the weights of a whole model. */
function fromFiles(files: { [name: string]: Uint8Array }): WholeModel | AdapterExport {
  if (files['adapter_config.json']) return { adapter: files };
  return loadCheckpoint({
    config: utf8.decode(files['config.json']),
    model: files['model.safetensors'],
    tokenizer: utf8.decode(files['tokenizer.json']),
  });
}

export async function readCheckpoint(path: string): Promise<WholeModel | AdapterExport> {
  if (!existsSync(path)) throw new CommandError(`There is no ${path}.`);
  if (statSync(path).isDirectory() || isGguf(path)) return fromModel(path);
  return fromFiles(await readPolicy(new Uint8Array(readFileSync(path)), path));
}

type Form = Pick<ExportOptions, 'format' | 'operators' | 'weights' | 'dtype'>;

/** The tensors of a safetensors file, stored as f16. */
function inFloat16(bytes: Uint8Array): Uint8Array {
  const tensors = [...readSafetensors(bytes)].map(([name, tensor]): [string, WritableTensor] => [
    name,
    { shape: tensor.shape, data: toFloat32(tensor, name), dtype: 'F16' },
  ]);
  return writeSafetensors(new Map(tensors), readMetadata(bytes));
}

/** An adapter is exported without its model, whose weights the run does not contain. */
function adapterFiles({ adapter }: AdapterExport, { format, dtype }: Form): Map<string, Uint8Array[]> {
  // not a kind: the format of what is written
  if (format === 'onnx')
    throw new CommandError(
      'This policy is an adapter, and an ONNX model holds whole weights, which the run does not have. Write it with --format hf, ' +
        'merge it into its model in Python (PeftModel.from_pretrained(model, FOLDER).merge_and_unload().save_pretrained(MERGED), and ' +
        'the tokenizer beside it), and export MERGED.',
    );
  if (dtype === 'bfloat16')
    throw new CommandError(
      'An adapter is exported in float32, as it was trained, or in float16, not in bfloat16: bfloat16 keeps 8 bits of its matrices.',
    );
  const written = (name: string, bytes: Uint8Array) =>
    name === 'adapter_model.safetensors' && dtype === 'float16' ? inFloat16(bytes) : bytes;
  return new Map(Object.entries(adapter).map(([name, bytes]) => [name, [written(name, bytes)]]));
}

/** Files of the export by their path in the folder; a large file is a list of pieces. */
export function exportedFiles(from: WholeModel | AdapterExport, form: Form): Map<string, Uint8Array[]> {
  return 'adapter' in from ? adapterFiles(from, form) : checkpointFiles(from, form);
}

/** True if the vocabulary has a tiny policy's special tokens. */
function isTiny(tokenizer: string): boolean {
  const { added_tokens: added = [] } = JSON.parse(tokenizer) as { added_tokens?: { content: string }[] };
  return specialTokens.every((token) => added.some(({ content }) => content === token));
}

function checkpointFiles(
  { config, tensors, tokenizer, chat = {} }: WholeModel,
  { format, operators, weights, dtype }: Form,
): Map<string, Uint8Array[]> {
  const text = (content: string) => [new TextEncoder().encode(content)];
  const files = new Map(Object.entries(chat).map(([name, bytes]) => [name, [bytes]]));
  if (tokenizer) files.set('tokenizer.json', text(tokenizer));
  if (format === 'hf') {
    if (dtype === 'float16')
      throw new CommandError('Whole weights are exported in float32 or bfloat16: float16 is for adapters.');
    const saved = saveCheckpoint(config, tensors, tokenizer, dtype);
    if (tokenizer && isTiny(tokenizer) && !chat['tokenizer_config.json'])
      files.set('tokenizer_config.json', text(`${JSON.stringify(tinyTokenizer, null, 2)}\n`));
    files.set('config.json', text(saved['config.json']));
    files.set('model.safetensors', [saved['model.safetensors']]);
  } else {
    const { model, data } = exportOnnx(config, tensors, { operators, weights });
    files.set('config.json', text(writeConfig(config)));
    files.set('onnx/model.onnx', [model]);
    if (data.length) files.set('onnx/model.onnx_data', data);
  }
  return files;
}

function write(files: ReadonlyMap<string, Uint8Array[]>, out: string): void {
  writeFolder(out, files);
  for (const [name, pieces] of files) {
    const path = join(out, name);
    const bytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
    console.log(`${path}  ${bytes.toLocaleString('en-US')} bytes`);
  }
}

/** One zip that the page imports as a policy. */
export function policyZip(files: ReadonlyMap<string, Uint8Array[]>): Uint8Array {
  const names = files.has('adapter_config.json')
    ? [...files.keys()]
    : ['config.json', 'model.safetensors', 'tokenizer.json'];
  const part = (name: string) => {
    const pieces = files.get(name);
    if (!pieces) throw new CommandError(`A policy's zip needs ${name}: this export has none. Use --format hf.`);
    return pieces[0];
  };
  return writePolicy(Object.fromEntries(names.map((name) => [name, part(name)])));
}

function writeZip(files: ReadonlyMap<string, Uint8Array[]>, out: string): void {
  const zip = policyZip(files);
  writeWhole(out, zip);
  console.log(`${out}  ${zip.length.toLocaleString('en-US')} bytes`);
}

async function main(): Promise<void> {
  await new Command('export')
    .description('Writes a policy as files that other programs open, laid out as on the Hugging Face hub.')
    .argument('<from>', "a run (.tabgym), a policy's zip, a folder of a model, or a .gguf file")
    .requiredOption('--out <path>', 'the folder to write (with --zip: the file)')
    // not a kind: the format of what is written
    .addOption(new Option('--format <name>').choices(['onnx', 'hf']).default('onnx'))
    .addOption(
      new Option('--operators <set>', 'ONNX: the standard operators, or onnxruntime’s fused ones')
        .choices(['standard', 'contrib'])
        .default('standard'),
    )
    .addOption(
      new Option('--weights <type>', 'ONNX with contrib operators: type of the matrices')
        .choices(['float32', 'int8', 'int4'])
        .default('float32'),
    )
    .addOption(
      new Option('--dtype <type>', 'hf: type of the weights; float16: of an adapter only')
        .choices(['float32', 'float16', 'bfloat16'])
        .default('float32'),
    )
    .option('--zip', 'hf: write one zip, which the page imports', false)
    .action(async (from: string, options: ExportOptions) => {
      const files = exportedFiles(await readCheckpoint(from), options);
      if (options.zip) writeZip(files, options.out);
      else write(files, options.out);
    })
    .parseAsync();
}

// Tests import these functions, so the command line is read only if this file is run as a tool.
if (process.argv[1]?.endsWith('export.js')) main().catch(fail);
