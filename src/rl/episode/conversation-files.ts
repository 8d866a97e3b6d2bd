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
  const texts = templatesOf(files, config);
  const template = await ChatTemplate.open(texts.plain, Object.fromEntries(special));
  const withTools = texts.tools === null ? template : await ChatTemplate.open(texts.tools, Object.fromEntries(special));
  const pieces = derivePieces(template, { thinking });
  return new Conversation(tokenizer, {
    pieces,
    calls: (tools, closing) => {
      const options = { thinking, tools, plain: pieces, closing };
      return {
        pieces: deriveCallPieces(withTools, options),
        write: (call, content) => callText(withTools, call, options, content),
      };
    },
    render: (messages) => template.render(messages, { addGenerationPrompt: true, thinking }),
    instructs: true,
    parsesReplies: true,
    stopTokens: stopTokensOf(tokenizer, files, config),
  });
}

interface Templates {
  plain: string;
  /** The template of conversations with tools; null: the same. */
  tools: string | null;
}

/** Reads the templates. Of a list or an object of named templates, transformers takes `tool_use` where there are tools. */
function templatesOf({ chatTemplate }: ConversationFiles, { chat_template: found }: Fields): Templates {
  if (chatTemplate) return { plain: chatTemplate, tools: null };
  if (typeof found === 'string') return { plain: found, tools: null };
  const named: Fields = Array.isArray(found)
    ? Object.fromEntries(found.map(fieldsOf).map(({ name, template }) => [String(name), template]))
    : fieldsOf(found);
  const textOf = (name: string) => (typeof named[name] === 'string' ? named[name] : null);
  const plain = textOf('default');
  if (plain !== null) return { plain, tools: textOf('tool_use') };
  const names = Object.keys(named);
  throw new ConversationError(
    names.length
      ? `This model has the chat templates ${names.slice(0, 5).join(', ').slice(0, 200)} and none named default: name one of them default.`
      : 'This model has no chat template (chat_template in tokenizer_config.json, or chat_template.jinja): it was not trained for ' +
          'conversations. Choose its -Instruct variant, or put a template beside it.',
  );
}

/** Ids that end a generation: generation_config.json's, config.json's and the tokenizer's own, each once. */
function stopTokensOf(tokenizer: Tokenizer, files: ConversationFiles, config: Fields): number[] {
  const listed = fieldsOf(files.generationConfig).eos_token_id;
  const ids: unknown[] = [...(Array.isArray(listed) ? listed : [listed]), ...(files.eosTokens ?? [])];
  const end = namedTokens(config).find(([name]) => name === 'eos_token');
  if (end && tokenizer.has(contentOf(end[1]))) ids.push(tokenizer.id(contentOf(end[1])));
  ids.push(...stopStrings(files).map((text) => stopId(tokenizer, text)));
  return [...new Set(ids.filter((id): id is number => typeof id === 'number' && Number.isInteger(id) && id >= 0))];
}

const stopStrings = ({ generationConfig }: ConversationFiles): unknown[] => {
  const { stop_strings: listed } = fieldsOf(generationConfig);
  return Array.isArray(listed) ? listed : listed == null ? [] : [listed];
};

/** A stop string that is a token of its own. Replies do not end within other texts. */
function stopId(tokenizer: Tokenizer, text: unknown): number {
  const id = typeof text === 'string' && tokenizer.has(text) ? tokenizer.id(text) : -1;
  if (tokenizer.isAdded(id)) return id;
  throw new ConversationError(
    `generation_config.json sets the stop string ${JSON.stringify(text)?.slice(0, 100)}; only added tokens can end a reply. Take it out to use the model without.`,
  );
}
