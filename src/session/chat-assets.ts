/** Files of a run that define its language model's chat format and stop tokens. A tiny policy has none of them. */
import type { ConversationFiles } from '../rl/episode/conversation-files.ts';

type Assets = { readonly [name: string]: Uint8Array } | null;

/** File names as in a Hugging Face folder. */
export const chatFiles = ['tokenizer_config.json', 'chat_template.jinja', 'generation_config.json'] as const;

/** The files of `chatFiles` that the assets contain. */
export function chatAssets(assets: Assets): { [name: string]: Uint8Array } {
  const found = chatFiles.flatMap((name) => (assets?.[name] ? [[name, assets[name]] as const] : []));
  return Object.fromEntries(found);
}

/** Chat settings from a run's assets. `eosTokens`: those of config.json. */
export function conversationFiles(assets: Assets, eosTokens: readonly number[]): ConversationFiles {
  const text = (name: (typeof chatFiles)[number]) =>
    assets?.[name] ? new TextDecoder().decode(assets[name]) : undefined;
  const json = (name: (typeof chatFiles)[number]) => {
    const found = text(name);
    return found === undefined ? undefined : JSON.parse(found);
  };
  return {
    tokenizerConfig: json('tokenizer_config.json'),
    chatTemplate: text('chat_template.jinja'),
    generationConfig: json('generation_config.json'),
    eosTokens,
  };
}
