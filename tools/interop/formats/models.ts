/** Mutated folders of language models, read by our loader and engine and by transformers. */
import { WasmDevice } from '../../../src/device/wasm/device.ts';
import { assetsOf } from '../../../src/models/base-model.ts';
import { type PreparedModel, prepareModel } from '../../../src/models/loader.ts';
import { Model } from '../../../src/policy/engine/model.ts';
import { Tokenizer } from '../../../src/policy/text/tokenizer.ts';
import { conversationOf } from '../../../src/rl/episode/conversation-files.ts';
import { conversationFiles } from '../../../src/session/chat-assets.ts';
import { FolderSource, nodeFiles } from '../../../src/store/weights-folder.ts';
import { inspected } from '../../golden/inspected-model.ts';
import { draftOf, mutated, writeDraft } from './model-folders.ts';
import { Choices, type FormatPart, type Reading } from './part.ts';

const tokens = Int32Array.from([5, 17, 3, 40, 290, 8, 120, 33, 5, 64, 250, 9]);
/** Number of last tokens whose logits are compared. */
const compared = 3;
const messages = [
  { role: 'user', content: 'x' },
  { role: 'assistant', content: 'y' },
  { role: 'user', content: 'z' },
] as const;

const capacity = {
  ...{ rows: 1, groups: 1, promptTokens: 8, completionTokens: 8 },
  ...{ batchTokens: tokens.length, batchScored: tokens.length },
};

async function logitsOf(device: WasmDevice, prepared: PreparedModel): Promise<number[]> {
  const { config, precision } = prepared;
  const weights = prepared.pieces({ signal: new AbortController().signal });
  const model = inspected(
    await Model.create(device, config, { capacity, weights, precision, trainable: false, reference: false }),
  );
  try {
    const segments = [{ start: 0, end: tokens.length, parent: -1 }];
    const logits = await model.logits({ tokens, segments, scored: Int32Array.from([1]), allowed: null });
    return [...logits.subarray((tokens.length - compared) * config.vocabSize)];
  } finally {
    model.destroy();
  }
}

async function textOf(prepared: PreparedModel): Promise<string> {
  const json = (name: string) => JSON.parse(prepared.texts[name] ?? '{}');
  const tokenizer = new Tokenizer(json('tokenizer.json'), json('tokenizer_config.json'));
  const files = conversationFiles(assetsOf(prepared), prepared.config.eosTokens);
  const { format } = await conversationOf(tokenizer, files);
  return format.render!(messages);
}

async function readFolder(device: WasmDevice, folder: string): Promise<Reading> {
  const { signal } = new AbortController();
  const source = await FolderSource.open(folder, await nodeFiles(folder));
  const prepared = await prepareModel(source, { precision: 'f32', cache: null, signal });
  return { logits: await logitsOf(device, prepared), text: await textOf(prepared) };
}

export const models: FormatPart = {
  packages: ['torch', 'transformers==5.24.0', 'safetensors', 'jinja2'],
  script: 'models.py',
  tolerance: 1e-3,
  async open(_, seed) {
    const device = await WasmDevice.open({ threads: 1 });
    return {
      write(n, folder) {
        const choices = new Choices(seed * 1_000_003 + n);
        const draft = draftOf(choices);
        const mutations = mutated(draft, choices);
        writeDraft(draft, folder);
        return mutations.join('; ');
      },
      read: (folder) => readFolder(device, folder),
      close: () => device.destroy(),
    };
  },
};
