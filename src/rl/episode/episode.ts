/**
 * One row of a rollout: an episode during play, and the trajectory that it becomes. Holds the tokens exactly as
 * sampled, the text that the policy has not read yet, and the ending.
 *
 * Long because sampled and demonstrated turns, thoughts and summaries append to the same columns.
 */
import {
  type Feedback,
  type PromptRules,
  promptRulesOf,
  type Task,
  validActionsAfter,
  type WorldDescription,
} from '../../envs/env.ts';
import type { GeneratedTurn, GenerateRow } from '../../policy/policy.ts';
import { type ActionTrie, allowedAlong } from '../../policy/text/trie.ts';
import { trieOf } from './action-list.ts';
import type { Beginning } from './branching.ts';
import { type Choice, choiceRows, choicesIn } from './choice-rows.ts';
import { type Conversation, concat } from './conversation.ts';
import { type OpenSummary, openSummary } from './summary.ts';
import { type Ending, TokenSource, type Trajectory, type Turn } from './trajectory.ts';
import { type ContextRules, MovingWindow } from './window.ts';

export interface EpisodeRules {
  /** Effect of a refused action on the episode. */
  invalidAction: 'continue' | 'end';
}

export interface EpisodeSettings {
  maskActions: boolean;
  /** Trains on all tokens after the prompt, the world's included, each over the whole vocabulary, whatever the mask. */
  trainsOnWorldText?: boolean;
  /** Maximum number of tokens of a thought before each action; absent or 0: no thoughts. */
  thoughts?: number;
  /** Absent: each turn reads the whole episode before it. */
  context?: ContextRules;
  rules: EpisodeRules;
}

/** A turn that was not sampled. */
export interface DemonstratedTurn {
  /** Full reply of a recorded turn. */
  recorded?: string;
  thought?: string;
  /** False: a random action, to be read and not trained on. */
  advice?: boolean;
}

const plainWorld = { successReward: 1, instruction: '' };

export class Episode {
  ended = false;
  /** Reason, if the world failed. */
  failure: string | undefined;
  action = '';
  /**
   * Set if the reply does not hold exactly one action: the text that the policy receives instead of the world's answer.
   */
  refusal: string | null = null;
  promptTokens: Int32Array = new Int32Array(0);
  private ending: Ending = 'horizon';
  private prompt = '';
  private readonly tokens: number[] = [];
  private readonly source: number[] = [];
  private readonly turnOf: number[] = [];
  private readonly logprob: number[] = [];
  private readonly choices: Choice[] = [];
  private readonly turns: Turn[] = [];
  /** Context of the next turn. */
  readonly window: MovingWindow;
  /** Tokens that the policy has not read yet. */
  private pending: Int32Array = new Int32Array(0);
  private actions: readonly string[] | null = null;
  /** Actions that the world lists, with or without a mask. */
  private worldActions: readonly string[] | null = null;
  private trie: ActionTrie | null = null;
  private constrained = false;
  /** Thought before the last action, and its range of tokens. */
  private thought: { text: string; start: number; end: number } | null = null;
  /** True if the next sampled tokens of a turn are its thought. */
  thinking = false;
  /** Summary that the policy writes next, before its turn. */
  private summary: OpenSummary | null = null;
  /** The policy's last reply, if the action is only a part of it. */
  reply: string | null = null;
  /** True once the policy has read the prompt; a demonstration is never read by it. */
  admitted = false;
  /** Share of the current turn that is sampled, from 0 to 1, as if it had the greatest length. */
  sampled = 0;
  private horizon = 0;
  private oracleTurns: number | null = null;
  private world: PromptRules = plainWorld;
  /** Turns of another episode that this one repeats first; null: none. */
  beginning: Beginning | null = null;

  constructor(
    readonly task: Task,
    readonly group: number,
    readonly member: number,
    readonly slot: number,
    private readonly conversation: Conversation,
    private readonly settings: EpisodeSettings,
  ) {
    this.window = new MovingWindow(settings.context);
  }

  /** Maximum number of turns of this episode. */
  get turnLimit(): number {
    return this.horizon;
  }

  /** Share of the episode that is over, from 0 to 1, by its turns. The prompt counts as one more turn. */
  get played(): number {
    if (this.ended) return 1;
    const done = (this.admitted ? 1 : 0) + this.turns.length + this.sampled;
    return this.horizon > 0 ? Math.min(1, done / (this.horizon + 1)) : 0;
  }

  get turnCount(): number {
    return this.turns.length;
  }

  /** Tokens before the kept turns in the current window. */
  get head(): Int32Array {
    return this.window.head ?? this.promptTokens;
  }

  /**
   * Takes the first observation. A prompt that does not fit ends the episode at once, so nothing trains on a part of
   * it.
   */
  start(feedback: Feedback, world: PromptRules & Pick<WorldDescription, 'under'>, promptRoom: number): void {
    this.world = promptRulesOf(world, this.task);
    this.prompt = feedback.observation;
    const { instruction, acknowledgement, calls } = this.world;
    const { tokens, source } = this.conversation.prompt(feedback.observation, instruction, acknowledgement, calls);
    this.promptTokens = tokens;
    this.append(tokens, source, -1);
    this.offer(feedback, false);
    this.beginTurn();
    if (feedback.failure !== undefined) this.fail(feedback.failure);
    else if (tokens.length > promptRoom) this.end('context');
  }

  setHorizon(turns: number, oracleTurns: number | null): void {
    this.horizon = turns;
    this.oracleTurns = oracleTurns;
    if (turns < 1) this.end('horizon');
  }

  setOracleTurns(turns: number | null): void {
    this.oracleTurns = turns;
  }

  private beginTurn(): void {
    this.sampled = 0;
    this.thought = null;
    this.thinking = (this.settings.thoughts ?? 0) > 0 && this.conversation.endOfThought >= 0;
  }

  /**
   * Sets the actions that the next turn may take: under a mask, the valid actions if the world lists them. After the
   * `last` answer there is no next turn.
   */
  private offer(feedback: Feedback, last: boolean): void {
    this.worldActions = validActionsAfter(this.worldActions, feedback);
    if (!this.settings.maskActions) return;
    const before = this.actions;
    const after = validActionsAfter(before, feedback);
    this.actions = after?.length ? after : null;
    if (this.actions === before || last) return;
    this.trie = this.actions && trieOf(this.actions, this.conversation);
    this.constrained ||= this.actions !== null;
  }

  /** Kind of the next sampled tokens. */
  get stage(): 'summary' | 'thought' | 'action' {
    return this.summary ? 'summary' : this.thinking ? 'thought' : 'action';
  }

  /** True if only one action is valid, so there is nothing to sample. */
  get isForced(): boolean {
    return this.stage === 'action' && this.trie !== null && this.trie.trie.leaf[0] >= 0;
  }

  /** Ends the episode if its next turn might not fit whole. */
  checkRoom(room: number): void {
    const longest = (this.summary ? this.summary.trie : this.trie)?.longest ?? 1;
    if (room < this.pending.length + longest) this.end('context');
  }

  generateRow(): GenerateRow {
    const { slot, pending: append, stage } = this;
    const trie = { summary: this.summary?.trie, thought: null, action: this.trie }[stage];
    return { slot, append, constraint: trie?.trie ?? null };
  }

  /** Takes a sampled thought. A thought that its limit cut gets its end token. */
  takeThought({ tokens, logprobs }: GeneratedTurn): void {
    const start = this.tokens.length;
    const { endOfThought } = this.conversation;
    if (this.trie) this.free(start, tokens.length);
    this.append(tokens, TokenSource.policy, this.turns.length, logprobs);
    this.pending = tokens.at(-1) === endOfThought ? new Int32Array(0) : Int32Array.of(endOfThought);
    this.append(this.pending, TokenSource.template, this.turns.length);
    this.think(start, tokens);
    this.thinking = false;
  }

  /** Takes a sampled action and its forced tail. */
  takeAction(turn: GeneratedTurn): void {
    const start = this.tokens.length;
    this.recordChoices(this.trie, turn.tokens, start);
    this.append(turn.tokens, TokenSource.policy, this.turns.length, turn.logprobs);
    const tail = this.trie ? this.takeLeaf(turn) : this.closeTurn(turn);
    this.pending = tail;
    this.append(tail, this.trie ? TokenSource.policy : TokenSource.template, this.turns.length);
    this.openTurn(start);
  }

  /** Takes the only valid action, without sampling. */
  takeForcedAction(): void {
    const start = this.tokens.length;
    const leaf = this.trie!.trie.leaf[0];
    this.choose(leaf);
    const tail = this.trie!.tail(leaf);
    this.append(tail, TokenSource.policy, this.turns.length);
    this.pending = concat([this.pending, tail]);
    this.openTurn(start);
  }

  /** True if the next turn is one of its beginning. */
  get repeats(): boolean {
    return this.beginning !== null && this.turns.length < this.beginning.turns;
  }

  /** Takes the next turn of its beginning, token by token, without sampling. */
  repeatTurn(): void {
    const { from } = this.beginning!;
    const turn = from.turns[this.turns.length];
    const { actionStart, actionEnd, thoughtEnd } = turn;
    const start = this.tokens.length;
    const shift = start - actionStart;
    const tokens = from.tokens.subarray(actionStart, actionEnd);
    this.append(
      tokens,
      from.source.subarray(actionStart, actionEnd),
      this.turns.length,
      from.logprob.subarray(actionStart, actionEnd),
    );
    this.choices.push(...choicesIn(from.choices, actionStart, actionEnd, shift));
    if (thoughtEnd !== undefined) this.thought = { text: turn.thought ?? '', start, end: thoughtEnd + shift };
    this.action = turn.action;
    this.refusal = null;
    this.reply = null;
    if (turn.reply !== undefined) this.read(turn.reply);
    this.pending = concat([this.pending, tokens]);
    this.openTurn(start);
  }

  /** Rule by which the world finds the action in a reply. */
  get replyRule(): WorldDescription['reply'] {
    return this.world.reply;
  }

  /**
   * Takes a turn that was not sampled: an oracle's action or a recorded one, with its full reply if a language model
   * was recorded. Returns false if the mask does not offer the action.
   */
  demonstrate(action: string, { recorded, thought = '', advice = true }: DemonstratedTurn = {}): boolean {
    const start = this.tokens.length;
    const { parsesReplies } = this.conversation.format;
    const reply = recorded !== undefined && parsesReplies ? recorded : this.replyOf(action, thought);
    if (this.actions && !this.actions.includes(action)) return false;
    const thoughts = this.conversation.thought(thought);
    if (this.trie && advice) this.free(start, thoughts.length);
    const words = this.trie ? this.listed(action, start + thoughts.length, advice) : this.conversation.action(reply);
    if (!this.trie) this.read(reply);
    this.append(thoughts, advice ? TokenSource.policy : TokenSource.template, this.turns.length);
    this.think(start, thoughts);
    this.append(words, advice ? TokenSource.policy : TokenSource.template, this.turns.length);
    this.openTurn(start);
    return true;
  }

  private replyOf(action: string, thought = ''): string {
    const { writeReply, calls } = this.world;
    return this.conversation.reply(action, writeReply, thought, calls);
  }

  /** Actions offered next under a mask, or listed by the world without one; empty: no list. */
  get offered(): readonly string[] {
    return this.worldActions ?? [];
  }

  /** Takes a turn that is not trained on: a misstep in a demonstration. The world need not offer it. */
  mention(action: string): void {
    const start = this.tokens.length;
    const words = this.conversation.action(this.replyOf(action));
    this.action = action;
    this.refusal = null;
    this.reply = null;
    this.append(words, TokenSource.template, this.turns.length);
    this.openTurn(start);
  }

  /** Tokens of an action of the list; records the choices on its path. */
  private listed(action: string, start: number, advice: boolean): Int32Array {
    const { sequence, tail } = this.trie!;
    const leaf = this.actions!.indexOf(action);
    const words = sequence(leaf);
    const path = words.subarray(0, words.length - tail(leaf).length);
    if (advice) this.recordChoices(this.trie, path, start);
    this.choose(leaf);
    return words;
  }

  /** Stores the thought. Call it after all of its tokens have been appended. */
  private think(start: number, tokens: Int32Array): void {
    const { endOfThought, tokenizer } = this.conversation;
    if (endOfThought >= 0) this.thought = { text: tokenizer.decode(tokens), start, end: this.tokens.length };
  }

  /** Records tokens chosen among the whole vocabulary: an empty list of allowed tokens. */
  private free(start: number, count: number): void {
    for (let i = 0; i < count; i++) this.choices.push({ position: start + i, allowed: new Int32Array(0) });
  }

  private recordChoices(actions: ActionTrie | null, tokens: Int32Array, start: number): void {
    if (!actions) return;
    allowedAlong(actions.trie, tokens).forEach((allowed, i) => {
      if (allowed.length > 1) this.choices.push({ position: start + i, allowed });
    });
  }

  private takeLeaf(turn: GeneratedTurn): Int32Array {
    if (turn.leaf < 0) throw new Error(`A constrained turn ended without an action (${turn.ending}).`);
    this.choose(turn.leaf);
    return this.trie!.tail(turn.leaf);
  }

  private choose(leaf: number): void {
    this.action = this.actions![leaf];
    this.refusal = null;
    this.reply = null;
  }

  /** Tokens that close a free turn without an end of its own, for example one that its limit cut. */
  private closeTurn(turn: GeneratedTurn): Int32Array {
    this.read(this.conversation.replyText(turn.tokens));
    return this.conversation.closing(turn.tokens);
  }

  /** Finds the action in a reply, by the rule of the world's original client. */
  private read(reply: string): void {
    const { reply: rule } = this.world;
    const parsed = this.conversation.format.parsesReplies && rule ? rule(reply) : null;
    this.action = parsed ? parsed.action : reply;
    this.refusal = parsed?.refusal === undefined ? null : parsed.refusal + (parsed.again ? this.lastWords : '');
    this.reply = parsed ? reply : null;
  }

  private get lastWords(): string {
    return this.turns.at(-1)?.observation ?? this.prompt;
  }

  private openTurn(actionStart: number): void {
    const end = this.tokens.length;
    const at = {
      actionStart: this.thought?.start ?? actionStart,
      actionEnd: end,
      observationStart: end,
      observationEnd: end,
    };
    const replyField = this.reply === null ? {} : { reply: this.reply };
    const thought = this.thought ? { thought: this.thought.text, thoughtEnd: this.thought.end } : {};
    this.turns.push({ action: this.action, ...thought, ...replyField, observation: '', reward: 0, valid: true, ...at });
    this.beginTurn();
  }

  get lastThought(): string | undefined {
    return this.turns.at(-1)?.thought;
  }

  /** Takes the world's answer to the action. */
  takeObservation(feedback: Feedback): void {
    const turn = this.turns[this.turns.length - 1];
    turn.observation = feedback.observation;
    turn.reward = feedback.reward;
    turn.valid = feedback.valid;
    this.failure = feedback.failure;
    this.checkRepeated(feedback.observation);
    const ending = this.endingOf(feedback);
    this.offer(feedback, ending !== null);
    if (ending) {
      this.end(ending);
      return;
    }
    const { tokens, source } = this.conversation.observation(feedback.observation, this.world.calls);
    if (this.beginSummary(this.tokens.length + tokens.length)) return;
    turn.observationStart = this.tokens.length;
    this.append(tokens, source, this.turns.length - 1);
    turn.observationEnd = this.tokens.length;
    this.pending = concat([this.pending, tokens]);
    const { instruction, acknowledgement, calls } = this.world;
    const kept = { task: this.prompt, memory: feedback.memory };
    const from = this.window.move(this.turns, this.tokens.length, kept, (text) =>
      this.conversation.prompt(text, instruction, acknowledgement, calls),
    );
    if (from !== null) this.pending = Int32Array.from(this.tokens.slice(from));
  }

  /** Ends the beginning where the world answers otherwise than before: the episode goes on from there by itself. */
  private checkRepeated(observation: string): void {
    const { beginning, turns } = this;
    if (!beginning || turns.length > beginning.turns) return;
    if (observation !== beginning.from.turns[turns.length - 1].observation)
      this.beginning = { ...beginning, turns: turns.length };
  }

  /**
   * Requests a summary if the window would be full with `length` tokens. The last answer is then not read in this
   * window: it stands in the next one's head. A demonstration has the newest line as its summary, which is not trained on.
   */
  private beginSummary(length: number): boolean {
    const { context } = this.settings;
    const request = this.conversation.summaryRequest(this.world.calls);
    const full = this.window.isFull(this.turns.length, length + request.tokens.length, this.promptTokens.length);
    if (!context || !full) return false;
    this.append(request.tokens, TokenSource.template, this.turns.length - 1);
    this.pending = concat([this.pending, request.tokens]);
    const { turns, window, conversation, constrained } = this;
    const summary = openSummary({ turns, window, conversation, constrained, most: context.summaryTokens ?? 0 });
    if (this.admitted && !summary.isForced) this.summary = summary;
    else this.writeSummary(summary.newest, conversation.action(summary.newest), TokenSource.template);
    return true;
  }

  /** Takes a sampled summary: a line of the list under a mask, else free text. */
  takeSummary(turn: GeneratedTurn): void {
    const { trie, lines } = this.summary!;
    const start = this.tokens.length;
    this.recordChoices(trie, turn.tokens, start);
    this.append(turn.tokens, TokenSource.policy, this.turns.length - 1, turn.logprobs);
    if (trie) this.writeSummary(lines[turn.leaf], trie.tail(turn.leaf), TokenSource.policy, start);
    else {
      const text = this.conversation.replyText(turn.tokens);
      this.writeSummary(text, this.conversation.closing(turn.tokens), TokenSource.template, start);
    }
  }

  /** Ends a summary with its last tokens, and begins the window that it opens. */
  private writeSummary(text: string, last: Int32Array, source: number, start = this.tokens.length): void {
    const { turns, conversation, prompt } = this;
    const { instruction, acknowledgement, calls } = this.world;
    this.append(last, source, turns.length - 1);
    const opening = conversation.afterSummary(prompt, text, turns[turns.length - 1].observation);
    const head = conversation.prompt(opening, instruction, acknowledgement, calls).tokens;
    const end = this.tokens.length;
    this.window.close(turns.length, end, head, { text, start, end });
    this.pending = new Int32Array(0);
    this.summary = null;
    this.sampled = 0;
  }

  private endingOf(feedback: Feedback): Ending | null {
    if (feedback.failure !== undefined) return 'world-failure';
    if (feedback.done) return feedback.reward >= this.world.successReward ? 'success' : 'done';
    if (!feedback.valid && this.settings.rules.invalidAction === 'end') return 'invalid-action';
    return this.turns.length >= this.horizon ? 'horizon' : null;
  }

  /** Ends the episode because its world failed. */
  fail(failure: string): void {
    this.failure = failure;
    this.end('world-failure');
  }

  end(ending: Ending): void {
    if (this.ended) return;
    this.ended = true;
    this.ending = ending;
  }

  private append(tokens: Int32Array, source: Uint8Array | number, turn: number, logprobs?: Float32Array): void {
    for (let i = 0; i < tokens.length; i++) {
      this.tokens.push(tokens[i]);
      this.source.push(typeof source === 'number' ? source : source[i]);
      this.turnOf.push(turn);
      this.logprob.push(logprobs?.[i] ?? 0);
    }
  }

  /**
   * Choices for training on all text: every token of the policy and of the world after the prompt, without the
   * template's and missteps.
   */
  private readTokens(): Choice[] {
    const allowed = new Int32Array(0);
    const readTokens: Choice[] = [];
    for (let position = this.promptTokens.length; position < this.tokens.length; position++)
      if (this.source[position] !== TokenSource.template) readTokens.push({ position, allowed });
    return readTokens;
  }

  trajectory(): Trajectory {
    const score = this.turns.at(-1)?.reward ?? 0;
    // A world that failed may have ended the episode before it had repeated all of its beginning.
    const repeated = Math.min(this.beginning?.turns ?? 0, this.turns.length);
    return {
      task: this.task,
      group: this.group,
      member: this.member,
      prompt: this.prompt,
      promptLength: this.promptTokens.length,
      tokens: Int32Array.from(this.tokens),
      source: Uint8Array.from(this.source),
      turnOf: Int16Array.from(this.turnOf),
      logprob: Float32Array.from(this.logprob),
      choices: this.settings.trainsOnWorldText
        ? choiceRows(this.readTokens())
        : this.constrained
          ? choiceRows(this.choices)
          : null,
      turns: this.turns,
      ...(repeated > 0 && { branch: { member: this.beginning!.from.member, turns: repeated } }),
      ...(this.window.count > 0 && { windows: this.window.all }),
      score,
      success: score >= this.world.successReward,
      ending: this.ending,
      ...(this.failure !== undefined && { failure: this.failure }),
      horizon: this.horizon,
      oracleTurns: this.oracleTurns,
      advantage: 0,
      advantages: new Float32Array(0),
    };
  }
}
