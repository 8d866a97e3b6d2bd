/**
 * A `tokenizer.json` as Hugging Face's tokenizers 0.23 runs it: added tokens, normalizer, pre-tokenizer and model to
 * encode, decoder to decode. The post-processor (start and end tokens) is not applied: chat templates write these.
 */
import { contentOf, statedTokens } from '../named-tokens.ts';
import { type AddedToken, AddedTokens, isNormalized } from './added-tokens.ts';
import { decoder } from './decoders.ts';
import { modelOf, type TextModel } from './models.ts';
import { normalizer } from './normalizers.ts';
import type { Part } from './pattern.ts';
import { type PreTokenize, preTokenizer } from './pre-tokenizers.ts';
import { checkConfig, checkShape } from './shape.ts';

interface PipelineJson {
  added_tokens?: readonly AddedToken[];
  normalizer?: unknown;
  pre_tokenizer?: unknown;
  model: unknown;
  decoder?: unknown;
}

/** Fields of a `tokenizer_config.json` that are read here. */
interface ConfigFields {
  added_tokens_decoder?: { readonly [id: string]: Omit<AddedToken, 'id'> };
  [field: string]: unknown;
}

/**
 * Added tokens after `tokenizer_config.json`, as transformers applies it (`TokenizersBackend`): its
 * `added_tokens_decoder` replaces flags and adds tokens, and special tokens that are missing are added. A new token gets
 * the next free id.
 */
function withConfig(tokens: readonly AddedToken[], config: object, vocab: ReadonlyMap<string, number>): AddedToken[] {
  const fields = config as ConfigFields;
  const byContent = new Map(tokens.map((token) => [token.content, token]));
  let next = [...vocab.values(), ...tokens.map(({ id }) => id)].reduce((a, b) => Math.max(a, b), -1) + 1;
  const put = (token: Omit<AddedToken, 'id'>) => {
    const id = byContent.get(token.content)?.id ?? vocab.get(token.content) ?? next++;
    byContent.set(token.content, { ...token, id });
  };
  const inOrder = Object.entries(fields.added_tokens_decoder ?? {}).sort(([a], [b]) => Number(a) - Number(b));
  for (const [, token] of inOrder) put(token);
  for (const token of statedTokens(fields)) {
    const content = contentOf(token);
    if (byContent.has(content)) continue;
    put(typeof token === 'string' ? { content, special: true, normalized: false } : { ...token, special: true });
  }
  return [...byContent.values()];
}

const loneSurrogate = /\p{Surrogate}/gu;

export class Pipeline {
  /** Texts of tokens, by id, with gaps. */
  readonly tokens: (string | undefined)[] = [];
  readonly ids: ReadonlyMap<string, number>;
  readonly addedIds: ReadonlySet<number>;
  /** Texts that the decoder reads: an added token found after the normalizer has its normalized text. */
  private readonly decoded: (string | undefined)[];
  private readonly specialTexts: ReadonlySet<string>;
  readonly added: AddedTokens;
  private readonly preTokenize: PreTokenize;
  private readonly model: TextModel;
  private readonly decodeTokens: (tokens: readonly string[]) => string;

  /** Throws TokenizerPartError, which names the part that is not read. */
  constructor(json: PipelineJson, config: object = {}) {
    checkShape(json);
    checkConfig(config as ConfigFields);
    this.model = modelOf(json.model as Part);
    const added = withConfig(json.added_tokens ?? [], config, this.model.vocab);
    const normalize = normalizer(json.normalizer as Part | null);
    this.added = new AddedTokens(added, normalize);
    this.preTokenize = preTokenizer(json.pre_tokenizer as Part | null);
    this.decodeTokens = decoder(json.decoder as Part | null);
    this.addedIds = new Set(added.map(({ id }) => id));
    this.specialTexts = new Set(added.filter(({ special }) => special).map(({ content }) => content));
    const ids = new Map(this.model.vocab);
    for (const { id, content } of added) ids.set(content, id);
    this.ids = ids;
    for (const [token, id] of ids) this.tokens[id] = token;
    this.decoded = this.tokens.slice();
    for (const token of added) if (isNormalized(token)) this.decoded[token.id] = normalize(token.content);
  }

  /** Ids of a text. A lone half of a surrogate pair is read as U+FFFD, as it would be in UTF-8. */
  encode(text: string): number[] {
    const ids: number[] = [];
    for (const section of this.added.sections(text.replace(loneSurrogate, '\uFFFD'))) {
      if (typeof section === 'number') ids.push(section);
      else for (const piece of this.preTokenize(section)) for (const id of this.model.encode(piece.text)) ids.push(id);
    }
    return ids;
  }

  /** Text of the ids; those without a token have none. */
  decode(ids: readonly number[], { special }: { special: boolean }): string {
    const tokens = ids.map((id) => this.decoded[id]).filter((token) => token !== undefined);
    return this.decodeTokens(special ? tokens : tokens.filter((token) => !this.specialTexts.has(token)));
  }
}
