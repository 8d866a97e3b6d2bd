/**
 * Completions from a policy without a world: messages in, a reply out. Prompts are built as in training
 * (rl/episode/conversation.ts), so that the policy reads the tokens it was trained on. A tiny policy reads only the
 * world's observations and its own actions.
 */
import type { Actor, GeneratedTurn, GenerateRow, Sampling } from '../policy/policy.ts';
import type { ChatMessage } from '../policy/text/chat-template.ts';
import { type ActionTrie, buildTrie } from '../policy/text/trie.ts';
import { acknowledgement, type Conversation, concat } from '../rl/episode/conversation.ts';

/** A policy and the conversation format that its prompts are built in. */
export interface CompletionPolicy {
  policy: Actor;
  conversation: Conversation;
}

/** Message rules of the worlds that a tiny policy was trained in. */
export interface MessageRules {
  /**
   * Actions that the observations list, for a policy trained to choose among offered actions; null: the observations
   * list none.
   */
  listedActions?(observations: readonly string[]): readonly string[] | null;
  /**
   * Writes an action as a reply in the form that the world's clients parse; `readReply` extracts the action from such a
   * reply. Absent: the action follows `Action:`.
   */
  writeReply?(action: string): string;
  readReply?(reply: string): string;
}

export interface CompletionRequest {
  messages: readonly ChatMessage[];
  /** Number of replies to the same messages. */
  n: number;
  /** 0: the most likely token at each position. */
  temperature: number;
  /** Maximum number of tokens in a reply. */
  maxTokens: number;
  /** A reply ends before the first of these strings. */
  stop: readonly string[];
  seed: number;
  /** If set, the reply is sampled from these texts by their likelihood; null: any text. */
  choices: readonly string[] | null;
  signal?: AbortSignal;
  /** Called with each piece added to a reply during generation. The last piece may appear in the final reply only. */
  onPiece?(reply: number, piece: string): void;
}

export interface Completion {
  replies: { text: string; ending: 'stop' | 'length' }[];
  promptTokens: number;
  completionTokens: number;
}

/** Thrown for a list of messages that this policy cannot continue. */
export class MessagesError extends Error {
  override name = 'MessagesError';
}

/** Thrown for a prompt with more tokens than the policy's memory plan allows. */
export class PromptTooLong extends Error {
  override name = 'PromptTooLong';
  constructor(
    readonly length: number,
    readonly most: number,
    unit: 'tokens' | 'characters' = 'tokens',
  ) {
    super(
      `The messages have ${length} ${unit}, and this policy reads at most ${most}: shorten them, or open it with more room.`,
    );
  }
}

/** Maximum number of characters for each token of room. Longer texts are refused before they are read, which takes seconds. */
const mostPerToken = 200;

/** Acknowledgements that AgentGym's clients put after their instruction as the model's reply. */
const acknowledgements = [acknowledgement, 'Ok.'];

const opensWithInstruction = (messages: readonly ChatMessage[]) =>
  messages.length > 2 && messages[1].role === 'assistant' && acknowledgements.includes(messages[1].content.trim());

/** The text after the last `Action:` of a reply; the whole reply if there is none. */
const actionOf = (reply: string) => reply.split('Action:').at(-1)!.trim();

/** Merges neighbouring messages of the same role. */
function merged(messages: readonly ChatMessage[]): ChatMessage[] {
  const all: ChatMessage[] = [];
  for (const message of messages) {
    const last = all.at(-1);
    if (last?.role === message.role) last.content += `\n${message.content}`;
    else all.push({ ...message });
  }
  return all;
}

/** The text before the first of the marks. */
function before(marks: readonly string[], text: string): string {
  const ends = marks.map((mark) => text.indexOf(mark)).filter((at) => at >= 0);
  return ends.length ? text.slice(0, Math.min(...ends)) : text;
}

/** Length of the longest suffix of the text that could be the start of a mark. */
const openMark = (text: string, mark: string) => {
  let length = Math.min(mark.length - 1, text.length);
  while (length > 0 && !text.endsWith(mark.slice(0, length))) length--;
  return length;
};

/** The part of an unfinished text that no continuation can change. */
function certain(text: string, stop: readonly string[]): string {
  const cut = before(stop, text);
  return cut.slice(0, cut.length - Math.max(0, ...stop.map((mark) => openMark(cut, mark))));
}

/** The part of a conversation that a tiny policy reads: it was trained without an instruction, so that is left out. */
export function worldTurns(messages: readonly ChatMessage[]): ChatMessage[] {
  const turns = messages.filter(({ role }) => role !== 'system');
  return merged(opensWithInstruction(turns) ? turns.slice(2) : turns);
}

export class Completer {
  private queue: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly completionPolicy: CompletionPolicy,
    private readonly rules: MessageRules = {},
  ) {}

  /** Maximum number of tokens in a reply. */
  get mostTokens(): number {
    return this.completionPolicy.policy.capacity.completionTokens - 1;
  }

  get mostReplies(): number {
    return this.completionPolicy.policy.capacity.rows;
  }

  /** Queues a request: requests run one after another because they share the policy's cache. */
  complete(request: CompletionRequest): Promise<Completion> {
    const result = this.queue.then(() => {
      request.signal?.throwIfAborted();
      return this.answer(request);
    });
    this.queue = result.catch(() => {});
    return result;
  }

  private async answer(request: CompletionRequest): Promise<Completion> {
    const { policy } = this.completionPolicy;
    const most = policy.capacity.promptTokens;
    const characters = request.messages.reduce((sum, { content }) => sum + content.length, 0);
    if (characters > most * mostPerToken) throw new PromptTooLong(characters, most * mostPerToken, 'characters');
    const prompt = this.promptOf(request.messages);
    if (prompt.length > most) throw new PromptTooLong(prompt.length, most);
    const reacts = this.answersInForm(request.messages);
    const slots = Array.from({ length: request.n }, (_, k) => k);
    await policy.admit([{ key: 0, prompt, slots, rowKeys: slots }]);
    try {
      const choices = request.choices ?? this.offered(request.messages);
      const trie = choices && this.trieOf(choices);
      const streams = request.onPiece && !trie && !(reacts && this.rules.writeReply);
      const report = streams ? this.pieceReporter(request, request.onPiece!, reacts) : () => {};
      const turns = (await this.generate(slots, request, trie, report)).map((turn) =>
        this.bounded(turn, choices, request.maxTokens),
      );
      const completionTokens = turns.reduce((sum, { tokens }) => sum + tokens.length, 0);
      const replies = turns.map((turn) => this.replyOf(turn, { ...request, choices }, reacts));
      return { replies, promptTokens: prompt.length, completionTokens };
    } finally {
      policy.release(slots);
    }
  }

  private offered(messages: readonly ChatMessage[]): readonly string[] | null {
    const observed = this.isTiny ? worldTurns(messages).filter(({ role }) => role === 'user') : [];
    const offered = observed.length ? this.rules.listedActions?.(observed.map(({ content }) => content)) : null;
    return offered?.length ? offered : null;
  }

  private get isTiny(): boolean {
    return !this.completionPolicy.conversation.format.instructs;
  }

  /**
   * True if a tiny policy's replies must be wrapped in AgentGym's form: the client opened with an instruction that
   * explains it, and the policy itself produces bare actions.
   */
  private answersInForm(messages: readonly ChatMessage[]): boolean {
    return this.isTiny && opensWithInstruction(messages.filter(({ role }) => role !== 'system'));
  }

  /**
   * Tokens of the prompt: as in training if the conversation has that form, otherwise by the model's own chat template.
   */
  promptOf(messages: readonly ChatMessage[]): Int32Array {
    const { conversation } = this.completionPolicy;
    if (this.isTiny) return this.turnsFrom(worldTurns(messages), this.rules.readReply ?? actionOf);
    const all = merged(messages);
    if (opensWithInstruction(all) && all[1].content === acknowledgement)
      return this.turnsFrom(all.slice(2), (text) => text, all[0].content);
    const { render } = conversation.format;
    if (!render) return this.turnsFrom(all, (text) => text);
    return conversation.tokenizer.encode(render(all));
  }

  private turnsFrom(turns: readonly ChatMessage[], actionOf: (reply: string) => string, instruction = ''): Int32Array {
    const { conversation } = this.completionPolicy;
    for (const [k, { role }] of turns.entries())
      if (role !== (k % 2 ? 'assistant' : 'user'))
        throw new MessagesError(
          `Messages of user and assistant must alternate, beginning with the user: message ${k + 1} of those that are read has the role ${role}.`,
        );
    if (turns.length % 2 === 0)
      throw new MessagesError('The last message must have the role user: there is nothing to answer.');
    const parts = turns.map(({ content }, k) => {
      if (k === 0) return conversation.prompt(content, instruction).tokens;
      return k % 2 ? conversation.action(actionOf(content)) : conversation.observation(content).tokens;
    });
    return concat(parts);
  }

  /**
   * A choice within `maxTokens`: its tokens, cut where it has more. Choosing among texts decodes a text to its end, so
   * the bound is applied afterwards.
   */
  private bounded(turn: GeneratedTurn, choices: readonly string[] | null, maxTokens: number): GeneratedTurn {
    if (turn.leaf < 0 || !choices) return turn;
    const tokens = this.completionPolicy.conversation.action(choices[turn.leaf]);
    if (tokens.length <= maxTokens) return { ...turn, tokens };
    return { ...turn, tokens: tokens.slice(0, maxTokens), leaf: -1, ending: 'length' };
  }

  private trieOf(choices: readonly string[]): ActionTrie {
    const { conversation } = this.completionPolicy;
    return buildTrie(choices.map((choice) => conversation.action(choice)));
  }

  private async generate(
    slots: readonly number[],
    { temperature, maxTokens, seed, signal }: CompletionRequest,
    trie: ActionTrie | null,
    report: (slot: number) => void,
  ): Promise<GeneratedTurn[]> {
    const { policy, conversation } = this.completionPolicy;
    const sampling: Sampling = {
      ...{ temperature, seed, stream: 0, stopTokens: conversation.stopTokens },
      maxTokens: Math.min(maxTokens, this.mostTokens),
    };
    const turns: GeneratedTurn[] = [];
    // With a single choice there is nothing to sample.
    if (trie && trie.trie.leaf[0] >= 0) return slots.map(() => onlyChoice(trie.trie.leaf[0]));
    let left: GenerateRow[] = slots.map((slot) => ({
      slot,
      append: new Int32Array(0),
      constraint: trie?.trie ?? null,
    }));
    while (left.length) {
      signal?.throwIfAborted();
      const round = await policy.generate(left, sampling, signal);
      for (const [k, turn] of round.entries()) if (turn) turns[left[k].slot] = turn;
      left = left.filter((_, k) => round[k] === null);
      for (const { slot } of left) report(slot);
    }
    return turns;
  }

  /** Returns a function that reports by how much a slot's reply has grown since its last call. */
  private pieceReporter(
    { stop }: CompletionRequest,
    onPiece: NonNullable<CompletionRequest['onPiece']>,
    reacts: boolean,
  ) {
    const { policy, conversation } = this.completionPolicy;
    const reported = new Map<number, string>();
    return (slot: number) => {
      const text = conversation.replyText(Int32Array.from(policy.sampledSoFar?.(slot) ?? []));
      // A tiny tokenizer joins words to the punctuation that follows, so the last two may still change.
      const words = this.isTiny ? text.split(' ').slice(0, -2).join(' ') : text;
      const now = certain(inForm(words, reacts), stop);
      const known = reported.get(slot) ?? '';
      if (now.length <= known.length) return;
      reported.set(slot, now);
      onPiece(slot, now.slice(known.length));
    };
  }

  private replyOf(
    { tokens, leaf, ending }: GeneratedTurn,
    { stop, choices }: CompletionRequest,
    reacts: boolean,
  ): Completion['replies'][number] {
    const reply = choices && leaf >= 0 ? choices![leaf] : this.completionPolicy.conversation.replyText(tokens);
    const text = reacts && this.rules.writeReply ? this.rules.writeReply(reply) : inForm(reply, reacts);
    const cut = before(stop, text);
    const stopped = cut !== text || ending === 'stop' || ending === 'leaf';
    return { text: cut, ending: stopped ? 'stop' : 'length' };
  }
}

/** The reply in the form that AgentGym's clients parse. */
const inForm = (action: string, reacts: boolean) => (reacts ? `Thought:\n\nAction:\n${action}` : action);

const onlyChoice = (leaf: number): GeneratedTurn => ({
  tokens: new Int32Array(0),
  logprobs: new Float32Array(0),
  leaf,
  ending: 'leaf',
});
