/** Files of a run that define its language model's chat format and stop tokens. A tiny policy has none of them. */
import type { ConversationFiles } from '../rl/episode/conversation-files.ts';
import { jsonFile } from './stored-json.ts';

type Files = { readonly [name: string]: Uint8Array };
type Assets = Files | null;

/** File names as in a Hugging Face folder. */
const chatFiles = ['tokenizer_config.json', 'chat_template.jinja', 'generation_config.json'] as const;

/** The files of `chatFiles` that the assets contain. */
export function chatAssets(assets: Assets): { [name: string]: Uint8Array } {
  const found = chatFiles.flatMap((name) => (assets?.[name] ? [[name, assets[name]] as const] : []));
  return Object.fromEntries(found);
}

const jsonOf = (bytes: Uint8Array): { [field: string]: unknown } => Object(jsonFile(bytes, 'tokenizer_config.json'));

/**
 * A model's files, replaced by the run's own. A run's tokenizer_config.json without a chat template gets the model's. A
 * template of the run takes precedence over the model's, in whichever file each is stored.
 */
export function withOwnConversation(model: Files, own: Assets): { [name: string]: Uint8Array } {
  const [config, template] = ['tokenizer_config.json', 'chat_template.jinja'] as const;
  const all = { ...model, ...own };
  if (!own?.[config] || own[template]) return all;
  const { chat_template: ownTemplate } = jsonOf(own[config]);
  if (ownTemplate) {
    delete all[template];
    return all;
  }
  const { chat_template: modelTemplate } = model[config] ? jsonOf(model[config]) : {};
  if (modelTemplate && !model[template])
    all[config] = new TextEncoder().encode(JSON.stringify({ ...jsonOf(own[config]), chat_template: modelTemplate }));
  return all;
}

/** Chat settings from a run's assets. `eosTokens`: those of config.json. */
export function conversationFiles(assets: Assets, eosTokens: readonly number[]): ConversationFiles {
  const text = (name: (typeof chatFiles)[number]) =>
    assets?.[name] ? new TextDecoder().decode(assets[name]) : undefined;
  const json = (name: (typeof chatFiles)[number]) => {
    const found = assets?.[name];
    return found && jsonFile<NonNullable<unknown>>(found, name);
  };
  return {
    tokenizerConfig: json('tokenizer_config.json'),
    chatTemplate: text('chat_template.jinja'),
    generationConfig: json('generation_config.json'),
    eosTokens,
  };
}
