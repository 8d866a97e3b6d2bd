/**
 * Conversation for a policy's files: a tiny policy's if its vocabulary has a tiny policy's special tokens, else its
 * chat template's. Takes file contents; reading files is elsewhere.
 */
import { callText, deriveCallPieces } from '../../policy/text/call-pieces.ts';
import { ChatTemplate, derivePieces } from '../../policy/text/chat-template.ts';
import { contentOf, namedTokens } from '../../policy/text/named-tokens.ts';
import { specialTokens, type Tokenizer } from '../../policy/text/tokenizer.ts';
import { Conversation, ConversationError, tinyFormat } from './conversation.ts';

/** Contents of the files beside a `tokenizer.json`; each may be absent. */
export interface ConversationFiles {
  /** tokenizer_config.json, parsed. */
  tokenizerConfig?: unknown;
  /** Text of chat_template.jinja, used by newer folders. */
  chatTemplate?: string | null;
  /** generation_config.json, parsed. */
  generationConfig?: unknown;
  /** `eos_token_id` of config.json. */
  eosTokens?: readonly number[];
}

export interface ConversationOptions {
  /** Qwen3's thinking mode: replies begin with thoughts, which are kept. */
  thinking?: boolean;
}

type Fields = { readonly [name: string]: unknown };

const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {});

export async function conversationOf(
  tokenizer: Tokenizer,
  files: ConversationFiles = {},
  { thinking = false }: ConversationOptions = {},
): Promise<Conversation> {
  if (specialTokens.every((token) => tokenizer.has(token))) return new Conversation(tokenizer, tinyFormat);
  const config = fieldsOf(files.tokenizerConfig);
  const special = namedTokens(config).map(([name, token]) => [name, contentOf(token)]);
  const template = await ChatTemplate.open(templateOf(files, config), Object.fromEntries(special));
  const pieces = derivePieces(template, { thinking });
  return new Conversation(tokenizer, {
    pieces,
    calls: (tools, closing) => {
      const options = { thinking, tools, plain: pieces, closing };
      return {
        pieces: deriveCallPieces(template, options),
        write: (call, content) => callText(template, call, options, content),
      };
    },
    render: (messages) => template.render(messages, { addGenerationPrompt: true, thinking }),
    instructs: true,
    parsesReplies: true,
    stopTokens: stopTokensOf(tokenizer, files, config),
  });
}

/**
 * Reads the template. If the file has a list or an object of named templates, takes the one for plain conversations.
 */
function templateOf({ chatTemplate }: ConversationFiles, config: Fields): string {
  if (chatTemplate) return chatTemplate;
  const found = config.chat_template;
  if (typeof found === 'string') return found;
  const entries: Fields[] = Array.isArray(found) ? found.map(fieldsOf) : [];
  if (!Array.isArray(found) && typeof fieldsOf(found).default === 'string') return fieldsOf(found).default as string;
  const named = entries.find(({ name }) => name === 'default');
  if (typeof named?.template === 'string') return named.template;
  throw new ConversationError(
    'This model has no chat template (chat_template in tokenizer_config.json, or chat_template.jinja): it was not trained for ' +
      'conversations. Choose its -Instruct variant, or put a template beside it.',
  );
}

/** Ids that end a generation: generation_config.json's, config.json's and the tokenizer's own, each once. */
function stopTokensOf(tokenizer: Tokenizer, files: ConversationFiles, config: Fields): number[] {
  const listed = fieldsOf(files.generationConfig).eos_token_id;
  const ids: unknown[] = [...(Array.isArray(listed) ? listed : [listed]), ...(files.eosTokens ?? [])];
  const end = namedTokens(config).find(([name]) => name === 'eos_token');
  if (end && tokenizer.has(contentOf(end[1]))) ids.push(tokenizer.id(contentOf(end[1])));
  return [...new Set(ids.filter((id): id is number => typeof id === 'number' && Number.isInteger(id) && id >= 0))];
}
