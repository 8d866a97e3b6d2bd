/**
 * One row of a rollout: an episode while it is being played, and the trajectory it becomes. Holds the tokens exactly as
 * sampled, what the world still has to be told to the policy, and how the episode ends.
 */
import {
  type Feedback,
  type Spoken,
  spokenOf,
  type Task,
  validActionsAfter,
  type WorldDescription,
} from '../../envs/env.ts';
import type { GeneratedTurn, GenerateRow } from '../../policy/policy.ts';
import { type ActionTrie, allowedAlong } from '../../policy/text/trie.ts';
import { trieOf } from './action-list.ts';
import { type Conversation, concat } from './conversation.ts';
import { type Ending, TokenSource, type Trajectory, type Turn } from './trajectory.ts';

export interface EpisodeRules {
  /** Whether a refused action ends the episode. */
  invalidAction: 'continue' | 'end';
}

export interface EpisodeSettings {
  maskActions: boolean;
  /** All words after the prompt are trained on, those of the world too, each over the whole vocabulary: as text, whatever the mask. */
  listens?: boolean;
  rules: EpisodeRules;
}

interface Choice {
  position: number;
  allowed: Int32Array;
}

const plainWorld = { successReward: 1, instruction: '' };

export class Episode {
  ended = false;
  action = '';
  /** Set where the reply holds no one action: what the policy is told instead of the world's answer. */
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
  /** What the policy has not read yet. */
  private pending: Int32Array = new Int32Array(0);
  private actions: readonly string[] | null = null;
  /** What the world lists, under a mask or not. */
  private worldActions: readonly string[] | null = null;
  private trie: ActionTrie | null = null;
  private constrained = false;
  /** The policy's last words, where the action is only a part of them. */
  reply: string | null = null;
  private horizon = 0;
  private oracleTurns: number | null = null;
  private world: Spoken = plainWorld;

  constructor(
    readonly task: Task,
    readonly group: number,
    readonly member: number,
    readonly slot: number,
    private readonly conversation: Conversation,
    private readonly settings: EpisodeSettings,
  ) {}

  get turnCount(): number {
    return this.turns.length;
  }

  /** First observation. A prompt that does not fit ends the episode at once: nothing trains on a part of it. */
  start(feedback: Feedback, world: Spoken & Pick<WorldDescription, 'under'>, promptRoom: number): void {
    this.world = spokenOf(world, this.task);
    this.prompt = feedback.observation;
    const { instruction, acknowledgement } = this.world;
    const { tokens, source } = this.conversation.prompt(feedback.observation, instruction, acknowledgement);
    this.promptTokens = tokens;
    this.append(tokens, source, -1);
    this.offer(feedback);
    if (feedback.failure !== undefined) this.end('world-failure');
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

  /** What may be said next: under a mask, one of the valid actions where the world lists them. */
  private offer(feedback: Feedback): void {
    this.worldActions = validActionsAfter(this.worldActions, feedback);
    if (!this.settings.maskActions) return;
    const before = this.actions;
    const after = validActionsAfter(before, feedback);
    this.actions = after?.length ? after : null;
    if (this.actions === before) return;
    this.trie = this.actions && trieOf(this.actions, this.conversation);
    this.constrained ||= this.actions !== null;
  }

  /** Only one action is valid: there is nothing to sample. */
  get isForced(): boolean {
    return this.trie !== null && this.trie.trie.leaf[0] >= 0;
  }

  /** Ends the episode where its next turn would not fit whole. */
  checkRoom(room: number): void {
    const longest = this.trie?.longest ?? 1;
    if (room < this.pending.length + longest) this.end('context');
  }

  generateRow(): GenerateRow {
    return { slot: this.slot, append: this.pending, constraint: this.trie?.trie ?? null };
  }

  /** Takes a sampled turn: its tokens as they are, then what was forced. */
  say(turn: GeneratedTurn): void {
    const start = this.tokens.length;
    this.recordChoices(turn.tokens, start);
    this.append(turn.tokens, TokenSource.policy, this.turns.length, turn.logprobs);
    const tail = this.trie ? this.takeLeaf(turn) : this.closeTurn(turn);
    this.pending = tail;
    this.append(tail, this.trie ? TokenSource.policy : TokenSource.template, this.turns.length);
    this.openTurn(start);
  }

  /** The only valid action, unsampled. */
  sayForced(): void {
    const start = this.tokens.length;
    const leaf = this.trie!.trie.leaf[0];
    this.choose(leaf);
    const tail = this.trie!.tail(leaf);
    this.append(tail, TokenSource.policy, this.turns.length);
    this.pending = concat([this.pending, tail]);
    this.openTurn(start);
  }

  /** How the world finds the action in a reply. */
  get replyRule(): WorldDescription['reply'] {
    return this.world.reply;
  }

  /**
   * Says what was not sampled: an oracle's action, or a recorded one, with all that was said where a policy that replies in its own
   * words was recorded. False where the mask does not offer it.
   */
  demonstrate(action: string, recorded?: string): boolean {
    const start = this.tokens.length;
    const { parsesReplies } = this.conversation.format;
    const reply =
      recorded !== undefined && parsesReplies ? recorded : this.conversation.reply(action, this.world.writeReply);
    const words = this.trie ? this.listed(action) : this.conversation.action(reply);
    if (!words) return false;
    if (!this.trie) this.read(reply);
    this.append(words, TokenSource.policy, this.turns.length);
    this.openTurn(start);
    return true;
  }

  /** What may be said next under a mask, or what the world lists without one; empty: it lists nothing. */
  get offered(): readonly string[] {
    return this.worldActions ?? [];
  }

  /** Takes a turn that nobody is to learn: a misstep in a demonstration. The world need not offer it. */
  mention(action: string): void {
    const start = this.tokens.length;
    const words = this.conversation.action(this.conversation.reply(action, this.world.writeReply));
    this.action = action;
    this.refusal = null;
    this.reply = null;
    this.append(words, TokenSource.template, this.turns.length);
    this.openTurn(start);
  }

  /** The words of an action of the list, and the choices they pass. */
  private listed(action: string): Int32Array | null {
    const { sequences, tail } = this.trie!;
    const leaf = this.actions!.indexOf(action);
    if (leaf < 0) return null;
    const words = sequences[leaf];
    const path = words.subarray(0, words.length - tail(leaf).length);
    this.recordChoices(path, this.tokens.length);
    this.choose(leaf);
    return words;
  }

  private recordChoices(tokens: Int32Array, start: number): void {
    if (!this.trie) return;
    allowedAlong(this.trie.trie, tokens).forEach((allowed, i) => {
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

  /** A free turn that hit its length has no end: it is closed for the policy to read on. */
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
    const at = { actionStart, actionEnd: end, observationStart: end, observationEnd: end };
    const said = this.reply === null ? {} : { reply: this.reply };
    this.turns.push({ action: this.action, ...said, observation: '', reward: 0, valid: true, ...at });
  }

  /** The world's answer to the action. */
  answer(feedback: Feedback): void {
    const turn = this.turns[this.turns.length - 1];
    turn.observation = feedback.observation;
    turn.reward = feedback.reward;
    turn.valid = feedback.valid;
    this.offer(feedback);
    const ending = this.endingOf(feedback);
    if (ending) {
      this.end(ending);
      return;
    }
    const { tokens, source } = this.conversation.observation(feedback.observation);
    turn.observationStart = this.tokens.length;
    this.append(tokens, source, this.turns.length - 1);
    turn.observationEnd = this.tokens.length;
    this.pending = concat([this.pending, tokens]);
  }

  private endingOf(feedback: Feedback): Ending | null {
    if (feedback.failure !== undefined) return 'world-failure';
    if (feedback.done) return feedback.reward >= this.world.successReward ? 'success' : 'done';
    if (!feedback.valid && this.settings.rules.invalidAction === 'end') return 'invalid-action';
    return this.turns.length >= this.horizon ? 'horizon' : null;
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

  /** Every word of the policy and of the world after the prompt. What the template says, and missteps, are not among them. */
  private heard(): Choice[] {
    const allowed = new Int32Array(0);
    const heard: Choice[] = [];
    for (let position = this.promptTokens.length; position < this.tokens.length; position++)
      if (this.source[position] !== TokenSource.template) heard.push({ position, allowed });
    return heard;
  }

  trajectory(): Trajectory {
    const score = this.turns.at(-1)?.reward ?? 0;
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
      choices: this.settings.listens ? choiceRows(this.heard()) : this.constrained ? choiceRows(this.choices) : null,
      turns: this.turns,
      score,
      success: score >= this.world.successReward,
      ending: this.ending,
      horizon: this.horizon,
      oracleTurns: this.oracleTurns,
      advantage: 0,
      advantages: new Float32Array(0),
    };
  }
}

function choiceRows(choices: readonly Choice[]): NonNullable<Trajectory['choices']> {
  const offsets = new Int32Array(choices.length + 1);
  choices.forEach(({ allowed }, row) => {
    offsets[row + 1] = offsets[row] + allowed.length;
  });
  return {
    position: Int32Array.from(choices, (choice) => choice.position),
    offsets,
    tokens: concat(choices.map((choice) => choice.allowed)),
  };
}
