/**
 * The face of a policy: an actor generates; a learner also scores, updates, saves and loads. What `rl/` needs to know of the
 * model, and all it may know.
 *
 * Shapes: T tokens of a packed batch, N scored positions, V vocabulary. This file has no GPU type in it; `engine/model.ts` is a
 * learner, `onnx/actor.ts` an actor, tests may implement either with anything.
 */

/** Allowed tokens per row as CSR, each row ascending. */
export interface AllowedTokens {
  /** (N + 1). An empty row means: the whole vocabulary. */
  offsets: Int32Array;
  tokens: Int32Array;
}

/**
 * Sequences on one token axis, without padding. A segment may have a parent (a prompt that several segments share): it
 * attends to the whole parent and its positions go on from the parent's end. Children follow their parent directly.
 */
export interface PackedBatch {
  /** (T) */
  tokens: Int32Array;
  segments: { start: number; end: number /** index of the parent segment, or -1 */; parent: number }[];
  /** (N) ascending indices into `tokens`: whose log-probability is asked. Never the first token of a segment without parent. */
  scored: Int32Array;
  /** null: the whole vocabulary at each scored position. */
  allowed: AllowedTokens | null;
}

/** Log-probability of each scored token given all before it, and the entropy of the distribution it was drawn from. */
export interface Scores {
  /** (N) */
  logprob: Float32Array;
  /** (N) nats */
  entropy: Float32Array;
  /** (N) what the value head says before each scored token; where it was asked for. */
  value?: Float32Array;
}

/** Which sequence (of the update), turn, group and pair each row belongs to, (N) each; -1: none. */
export interface RowIds {
  sequence: Int32Array;
  turn: Int32Array;
  group: Int32Array;
  pair: Int32Array;
}

/** The scored rows of a micro-batch (of the whole update where the objective needs it), as an objective sees them. (N) each. */
export interface ObjectiveRows extends RowIds {
  count: number;
  logprob: ArrayLike<number>;
  entropy: ArrayLike<number>;
  /** null: the objective does not need values. */
  value: ArrayLike<number> | null;
  columns: { readonly [name: string]: ArrayLike<number> };
  scalars: { readonly [name: string]: number };
}

/** (N) each. The gradient of the loss is sum(weight * dlogprob + entropyWeight * dentropy + valueWeight * dvalue). */
export interface ObjectiveResult {
  loss: Float64Array;
  /** dloss / dlogprob */
  weight: Float64Array;
  /** dloss / dentropy */
  entropyWeight: Float64Array;
  /** dloss / dvalue; absent: 0. */
  valueWeight?: Float64Array;
  /** What is shown and counted: policy loss, KL, flags, ratio. */
  aux: Float64Array[];
  metrics?: { [name: string]: number };
}

/**
 * An objective: what `rl/` declares and `policy/` runs between the head's forward and its backward. `evaluate` is the definition,
 * and runs on the host. A pointwise objective may carry its WGSL form as well, which then runs with no round trip:
 * `fn objective(i: u32, logprob: f32, entropy: f32) -> Objective`, where
 * `struct Objective { loss: f32, weight: f32, entropyWeight: f32, aux: vec4f }`. It reads its inputs with `column(c, i)` in the
 * order of `columns` and its scalars as `scalar(k)` in the order of `scalars`.
 */
export interface ObjectiveSpec extends ObjectiveFacts {
  evaluate(rows: ObjectiveRows): ObjectiveResult;
  wgsl?: string;
}

/** What is declared of an objective, wherever its definition runs. */
export interface ObjectiveFacts {
  name: string;
  columns: readonly string[];
  scalars: readonly string[];
  /** It sums over all rows of an update: their forward comes first, and runs again before each backward. */
  batch?: boolean;
}

/** An objective whose definition runs elsewhere: in a sandbox. Where it rejects, the update rejects and takes no step. */
export interface RemoteObjective extends ObjectiveFacts {
  evaluate(rows: ObjectiveRows): Promise<ObjectiveResult>;
  wgsl?: undefined;
}

export interface OptimizerSettings {
  learningRate: number;
  beta1: number;
  beta2: number;
  epsilon: number;
  weightDecay: number;
  /** Clip of the global gradient norm; Infinity: none. */
  maxGradNorm: number;
}

/**
 * Where values come from. `head`: a value head on the policy's trunk, whose gradient stops there. `shared`: the same, and its gradient
 * goes on into the trunk. `separate`: a value head on a second model that begins as the policy did.
 */
export type CriticKind = 'head' | 'shared' | 'separate';

/** The value head has an AdamW of its own. */
export interface CriticSettings {
  learningRate: number;
  /** What the critic's loss counts in the gradient of a shared trunk. */
  trunkWeight: number;
}

export interface UpdateRequest {
  /** Micro-batches whose gradients are summed into one optimiser step. */
  batches: readonly {
    batch: PackedBatch /** one array of N per objective column */;
    columns: readonly Float32Array[];
    /** Absent: every row is of sequence, turn and group 0, and of no pair. */
    ids?: RowIds;
  }[];
  objective: ObjectiveSpec | RemoteObjective;
  scalars: readonly number[];
  optimizer: OptimizerSettings;
  /** The objective reads values, and the value head that says them is trained. */
  critic?: CriticSettings;
}

export interface UpdateResult {
  /** Per micro-batch, (N) each: log-probability and entropy before this step, the objective's loss and aux columns. */
  outputs: {
    logprob: Float32Array;
    entropy: Float32Array;
    loss: Float32Array;
    weight: Float32Array;
    aux: Float32Array[];
  }[];
  /** Global gradient norm before clipping. */
  gradNorm: number;
  /** What the objective counted on the host, a mean over its evaluations. */
  metrics?: { [name: string]: number };
}

/**
 * Valid token sequences as a trie, flattened. Node 0 is the root. The edges of node n are [edgeStart[n], edgeStart[n+1]),
 * sorted by token. `leaf[n]` is the index of the sequence that is determined at n (no branching below), else -1: sampling
 * stops there, and the remaining tokens, being forced, are appended by the caller with log-probability 0.
 */
export interface TokenTrie {
  edgeStart: Int32Array;
  edgeToken: Int32Array;
  edgeNode: Int32Array;
  leaf: Int32Array;
  /** Most tokens sampled before a leaf is reached. */
  depth: number;
}

export interface GenerateRow {
  /** Which trajectory: an index below the capacity's `rows`. Its KV cache lives until the slot is released. */
  slot: number;
  /** Tokens to run before sampling: the world's words, and the forced tail of the last action. May be empty right after `admit`, and where the last token was sampled: it runs itself. */
  append: Int32Array;
  /** null: the whole vocabulary. */
  constraint: TokenTrie | null;
}

export interface Sampling {
  /** 0: greedy. */
  temperature: number;
  /** Random numbers are keyed by (seed, stream, row key, position). */
  seed: number;
  stream: number;
  /** Most tokens a turn. */
  maxTokens: number;
  /** Tokens that end a turn when decoding is unconstrained (they are part of the turn). */
  stopTokens: readonly number[];
}

export interface GeneratedTurn {
  tokens: Int32Array;
  logprobs: Float32Array;
  /** The trie leaf reached, or -1. */
  leaf: number;
  ending: 'leaf' | 'stop' | 'length' | 'context';
}

/** Largest sizes, planned and allocated before the first step and fixed for the run. */
export interface Capacity {
  /** Trajectories decoded at once. */
  rows: number;
  /** Trajectories held at once, each with its K/V rows; those above `rows` wait for their worlds or their turn. Default: `rows`. */
  slots?: number;
  /** Prompts held at once. */
  groups: number;
  promptTokens: number;
  /** Tokens of a trajectory after its prompt. */
  completionTokens: number;
  /**
   * Pages (of 16 tokens) of the K/V cache that prompts and trajectories share. Fewer than the longest of all would fill: in rounds
   * trajectories wait for pages. Default: as many as that.
   */
  cachePages?: number;
  /** T of one packed batch. */
  batchTokens: number;
  /** N of one packed batch. */
  batchScored: number;
  /** Batches under a mask may hold tokens that are free, as those of a thought: each may be any of the vocabulary. Default: none is. */
  freeTokens?: boolean;
}

/** A prompt and slots that start behind it. `key`: who asks for the same key shares the prompt while any of its slots is held. */
export interface AdmittedGroup {
  key: number;
  prompt: Int32Array;
  slots: readonly number[];
  rowKeys: readonly number[];
}

/** Counters since creation; a step's cost is the difference of two snapshots. */
export interface Counters {
  tokensPrefilled: number;
  tokensGenerated: number;
  tokensTrained: number;
  dispatches: number;
  submissions: number;
  readbacks: number;
  /** Multiply-adds counted twice. */
  flops: number;
  buffersCreated: number;
}

/** Named tensors of a checkpoint: parameters under their Hugging Face names, with the optimiser's moments beside them (moments.ts). */
export type TensorMap = Map<string, { shape: number[]; data: Float32Array }>;

export interface PolicyState {
  tensors: TensorMap;
  /** Optimiser steps taken. */
  optimizerStep: number;
}

/** Who may go on where fewer pages of the K/V cache are planned than all trajectories may need. */
export interface PageBudget {
  /** How many of these groups, from the first on, can be admitted now. */
  admits(groups: readonly AdmittedGroup[]): number;
  /** Takes what the row's next round may need. False: it waits until others have given back theirs; at least one row never waits. */
  grow(row: GenerateRow): boolean;
}

/**
 * What plays. It decodes in rounds: trajectories come, go and wait for their worlds while others are in the middle of a turn. What
 * a trajectory says does not depend on who decodes beside it, up to the rounding of another kernel where the number of rows
 * chooses one.
 */
export interface Actor {
  readonly vocabSize: number;
  readonly numParameters: number;
  readonly capacity: Capacity;
  counters(): Counters;
  /** Absent: everyone may go on, always. */
  readonly pages?: PageBudget;
  /** Adds groups, or members to groups that are held. */
  admit(groups: readonly AdmittedGroup[]): Promise<void>;
  /** Gives slots back; a prompt goes with its last slot. */
  release(slots: readonly number[]): void;
  /** Free tokens left in a slot. */
  room(slot: number): number;
  /**
   * One round: a few tokens of each row, after its `append` was run. null: the turn goes on with the next round that names the
   * slot, whose `append` and `constraint` are then not read. A row without a constraint ends its turn at a stop token or at
   * `maxTokens`, one with a constraint at a leaf.
   */
  generate(rows: readonly GenerateRow[], sampling: Sampling, signal?: AbortSignal): Promise<(GeneratedTurn | null)[]>;
  /** Between two rounds: the tokens of a turn that goes on. Absent where a round is a whole turn. */
  saidSoFar?(slot: number): readonly number[];
  destroy(): void;
}

/** What plays and learns. */
export interface Learner extends Actor {
  /** Temperature divides the logits. */
  score(
    batch: PackedBatch,
    options: { temperature: number; weights: 'policy' | 'reference'; values?: boolean },
  ): Promise<Scores>;
  /** One optimiser step. */
  update(request: UpdateRequest, options: { temperature: number }): Promise<UpdateResult>;
  /** Numbers that belong to the training and not to the policy: saved and loaded with its state. */
  readonly notes: Map<string, number>;
  /** Copies the current weights into the frozen reference. */
  freezeReference(): Promise<void>;
  /** Parameters and optimiser state, read back in one piece. */
  save(options?: { reference?: boolean }): Promise<PolicyState>;
  /** Shapes are checked by name; a mismatch is refused, nothing is changed. */
  load(state: PolicyState, options?: { reference?: boolean }): Promise<void>;
}
