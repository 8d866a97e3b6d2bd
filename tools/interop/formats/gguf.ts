/** Mutated GGUF files, read by our loader and by the Python package gguf: settings, tokens, and the bits of every tensor. */
import { createHash } from 'node:crypto';
import { type PreparedModel, prepareModel } from '../../../src/models/loader.ts';
import { FolderSource, nodeFiles } from '../../../src/store/weights-folder.ts';
import { ggufDraft, writeGgufFile } from './gguf-files.ts';
import { mutatedGguf } from './gguf-mutations.ts';
import { Choices, type FormatPart, type Reading } from './part.ts';

const hashOf = (data: string | Uint8Array) => createHash('sha256').update(data).digest('hex');

function settingsOf({ config }: PreparedModel): Reading {
  const { ropeScaling } = config;
  if (ropeScaling && ropeScaling.type !== 'linear') throw new TypeError('No input has factors of Llama 3.');
  return {
    type: config.modelType,
    sizes: [
      ...[config.numLayers, config.hiddenSize, config.intermediateSize, config.numHeads, config.numKvHeads],
      ...[config.headDim, config.rmsNormEps, config.ropeTheta, ropeScaling?.factor ?? 1, config.maxPosition],
      ...[config.bosToken ?? -1, ...config.eosTokens],
    ],
  };
}

/** Name of the pre-tokenizer by its pattern. */
function ruleOf(preTokenizer: unknown): string {
  const json = JSON.stringify(preTokenizer);
  if (json.includes('{1,3}')) return 'llama-bpe';
  return json.includes('Split') ? 'qwen2' : json.includes('Digits') ? 'smollm' : 'gpt-2';
}

function textsOf({ texts }: PreparedModel): Reading {
  const { model, added_tokens, pre_tokenizer } = JSON.parse(texts['tokenizer.json']);
  const tokens: [number, string, string][] = [
    ...Object.entries(model.vocab as { [token: string]: number }).map(([token, id]): [number, string, string] => [
      id,
      token,
      'normal',
    ]),
    ...(added_tokens as { id: number; content: string; special: boolean }[]).map(
      ({ id, content, special }): [number, string, string] => [id, content, special ? 'special' : 'added'],
    ),
  ];
  return {
    tokens: hashOf(
      tokens
        .sort((a, b) => a[0] - b[0])
        .map((each) => each.join(' '))
        .join('\n'),
    ),
    merges: hashOf((model.merges as string[][]).map((pair) => pair.join(' ')).join('\n')),
    rule: ruleOf(pre_tokenizer),
    template: JSON.parse(texts['tokenizer_config.json']).chat_template ?? null,
  };
}

/** Shape and hash of every tensor's f32 bits; all kinds of NaN are one. */
async function tensorsOf(prepared: PreparedModel): Promise<{ [name: string]: string }> {
  const hashes = new Map<string, { shape: string; hash: ReturnType<typeof createHash> }>();
  for await (const piece of prepared.pieces({ signal: new AbortController().signal })) {
    if (piece.kind !== 'f32') throw new TypeError(`${piece.name} is packed.`);
    const { hash } =
      hashes.get(piece.name) ??
      hashes.set(piece.name, { shape: `${piece.shape}`, hash: createHash('sha256') }).get(piece.name)!;
    hash.update(Float32Array.from(piece.values, (value) => (Number.isNaN(value) ? Number.NaN : value)));
  }
  return Object.fromEntries([...hashes].map(([name, { shape, hash }]) => [name, `${shape} ${hash.digest('hex')}`]));
}

async function readFolder(folder: string): Promise<Reading> {
  const source = await FolderSource.open('model', await nodeFiles(folder));
  const signal = new AbortController().signal;
  const prepared = await prepareModel(source, { precision: 'f32', cache: null, signal });
  return { ...settingsOf(prepared), ...textsOf(prepared), ...(await tensorsOf(prepared)) };
}

export const ggufFiles: FormatPart = {
  packages: ['gguf==0.19.0', 'numpy'],
  script: 'gguf_files.py',
  tolerance: 0,
  async open(_, seed) {
    return {
      write(n, folder) {
        const choices = new Choices(seed * 1_000_003 + n);
        const { bytes, said } = mutatedGguf(ggufDraft(choices), choices);
        writeGgufFile(folder, bytes);
        return said.join('; ');
      },
      read: readFolder,
      close: () => {},
    };
  },
};
