/**
 * Interface of a policy, and all that `rl/` depends on: an actor generates; a learner also scores, updates, saves and
 * loads.
 *
 * Shapes: T tokens of a packed batch, N scored positions, V vocabulary. The file has no GPU type. `engine/model.ts` is
 * a learner, `onnx/actor.ts` an actor; tests may implement either in any way.
 */

/** Allowed tokens per row in compressed sparse row (CSR) form, each row ascending. */
export interface AllowedTokens {
  /** (N + 1). An empty row allows the whole vocabulary. */
  offsets: Int32Array;
  tokens: Int32Array;
}

/**
 * Sequences on one token axis, without padding. A segment may have a parent, a prompt shared by several segments. The
 * segment attends to the whole parent, and its positions continue from the parent's end. Children follow their parent
 * directly.
 */
export interface PackedBatch {
  /** (T) */
  tokens: Int32Array;
  segments: { start: number; end: number /** index of the parent segment, or -1 */; parent: number }[];
  /**
   * (N) ascending indices into `tokens` of the tokens to score. The first token of a segment without a parent cannot be
   * scored.
   */
  scored: Int32Array;
  /** Null: the whole vocabulary is allowed at each scored position. */
  allowed: AllowedTokens | null;
}

/**
 * Log-probability of each scored token given the tokens before it, and entropy of the distribution it was drawn from.
 */
export interface Scores {
  /** (N) */
  logprob: Float32Array;
  /** (N) nats */
  entropy: Float32Array;
  /** (N) value head's output before each scored token, if requested. */
  value?: Float32Array;
}

/** Distribution of each scored row over its allowed tokens, in CSR form. */
export interface TokenDistributions {
  /** (N + 1). A row has one number for each of its allowed tokens, in their order, or none if it has no distribution. */
  offsets: Int32Array;
  logprobs: Float32Array;
}

/** A teacher's distributions of a micro-batch's rows, whose divergence from the policy's is a part of the loss. */
export interface TeacherRows extends TokenDistributions {
  /** (N) weight of the row's divergence in the loss. */
  weights: Float32Array;
}

/** Sequence (within the update), turn, group and pair of each row, (N) each; -1: none. */
export interface RowIds {
  sequence: Int32Array;
  turn: Int32Array;
  group: Int32Array;
  pair: Int32Array;
}

/**
 * Scored rows of a micro-batch, or of the whole update if the objective needs it: the input of an objective. (N) each.
 */
export interface ObjectiveRows extends RowIds {
  count: number;
  logprob: ArrayLike<number>;
  entropy: ArrayLike<number>;
  /** Null if the objective does not need values. */
  value: ArrayLike<number> | null;
  columns: { readonly [name: string]: ArrayLike<number> };
  scalars: { readonly [name: string]: number };
}

/**
 * Result of an objective, (N) each. The gradient of the loss is sum(weight * dlogprob + entropyWeight * dentropy +
 * valueWeight * dvalue).
 */
export interface ObjectiveResult {
  loss: Float64Array;
  /** dloss / dlogprob */
  weight: Float64Array;
  /** dloss / dentropy */
  entropyWeight: Float64Array;
  /** dloss / dvalue. Default: 0. */
  valueWeight?: Float64Array;
  /** Quantities for metrics and display, by the names in the objective's `aux`. */
  aux: { readonly [name: string]: Float64Array };
  metrics?: { [name: string]: number };
}

/**
 * Objective, declared by `rl/` and run by `policy/` between the head's forward and backward. `evaluate` is the
 * definition and runs on the host. A pointwise objective may also provide a WGSL form, which runs on the device without
 * a round trip: `fn objective(i: u32, logprob: f32, entropy: f32) -> Objective`, where `struct Objective { loss: f32,
 * weight: f32, entropyWeight: f32, aux: vec4f }`. It reads its inputs with `column(c, i)` in the order of `columns` and
 * its scalars with `scalar(k)` in the order of `scalars`.
 */
export interface ObjectiveSpec extends ObjectiveFacts {
  evaluate(rows: ObjectiveRows): ObjectiveResult;
  wgsl?: string;
}

/** Declared facts of an objective, common to all places where its definition may run. */
export interface ObjectiveFacts {
  name: string;
  columns: readonly string[];
  scalars: readonly string[];
  /** Names of the quantities beside the loss, at most 4, in the order of the WGSL form's `aux`. Absent: none. */
  aux?: readonly string[];
  /**
   * True if it sums over all rows of an update. All micro-batches then run forward first, and each runs forward again
   * before its backward.
   */
  batch?: boolean;
}

/** Objective whose definition runs in a sandbox. If `evaluate` rejects, the update rejects and takes no step. */
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
  /** Bound on the global gradient norm; Infinity: no clipping. */
  maxGradNorm: number;
}

/**
 * Source of values. `head`: a value head on the policy's trunk, whose gradient stops at the trunk. `shared`: a value
 * head whose gradient continues into the trunk. `separate`: a value head on a second model, initialised from the
 * policy.
 */
export type CriticKind = 'head' | 'shared' | 'separate';

/** Settings of the value head's own AdamW. */
export interface CriticSettings {
  learningRate: number;
  /** Weight of the critic's loss in the gradient of a shared trunk. */
  trunkWeight: number;
}

export interface UpdateRequest {
  /** Micro-batches whose gradients are summed into one optimiser step. */
  batches: readonly {
    batch: PackedBatch /** one array of N per objective column */;
    columns: readonly Float32Array[];
    /** Absent: every row has sequence, turn and group 0, and no pair. */
    ids?: RowIds;
    /** Given if `divergence` is. */
    teacher?: TeacherRows;
  }[];
  /**
   * Divergence between the policy p and the teacher q at each row that is added to the loss. 1: the reverse KL(p || q);
   * 0: the forward KL(q || p); a number b between them: b KL(q || m) + (1 - b) KL(p || m) with m = b q + (1 - b) p.
   * Absent: none.
   */
  divergence?: number;
  objective: ObjectiveSpec | RemoteObjective;
  scalars: readonly number[];
  optimizer: OptimizerSettings;
  /** Given if the objective reads values: the value head is then trained with these settings. */
  critic?: CriticSettings;
}

export interface UpdateResult {
  /**
   * Per micro-batch, (N) each: log-probability and entropy before this step, and the objective's loss, weight and aux
   * columns by name.
   */
  outputs: {
    logprob: Float32Array;
    entropy: Float32Array;
    loss: Float32Array;
    weight: Float32Array;
    aux: { readonly [name: string]: Float32Array };
    /** (N) divergence from the teacher before its weight, if the request has one; 0 without a distribution. */
    divergence?: Float32Array;
  }[];
  /** Global gradient norm before clipping. */
  gradNorm: number;
  /** Metrics that the objective computed on the host, averaged over its evaluations. */
  metrics?: { [name: string]: number };
}

/**
 * Valid token sequences as a flattened trie. Node 0 is the root. The edges of node n are [edgeStart[n],
 * edgeStart[n+1]), sorted by token. `leaf[n]` is the index of the only sequence that continues from n, or -1 if several
 * do. Sampling stops at a leaf; the remaining tokens are forced, and the caller appends them with log-probability 0.
 */
export interface TokenTrie {
  edgeStart: Int32Array;
  edgeToken: Int32Array;
  edgeNode: Int32Array;
  leaf: Int32Array;
  /** Largest number of tokens sampled before a leaf is reached. */
  depth: number;
}

export interface GenerateRow {
  /** Index of the trajectory, below the capacity's `slots`. Its KV cache lives until the slot is released. */
  slot: number;
  /**
   * Tokens to run before sampling: the world's text and the forced tail of the last action. The token sampled last runs
   * before them and is not part of this list. The list may therefore be empty after such a token, and directly after
   * `admit`.
   */
  append: Int32Array;
  /** Null: the whole vocabulary is allowed. */
  constraint: TokenTrie | null;
}

export interface Sampling {
  /** 0: greedy. */
  temperature: number;
  /** Random numbers are keyed by (seed, stream, row key, position). */
  seed: number;
  stream: number;
  /** Largest number of tokens in a turn. */
  maxTokens: number;
  /** Tokens that end a turn in unconstrained decoding. They are part of the turn. */
  stopTokens: readonly number[];
  /** Largest number of tokens in a round, for a reply that is shown as it grows. Default: the actor's own. */
  roundTokens?: number;
}

export interface GeneratedTurn {
  tokens: Int32Array;
  logprobs: Float32Array;
  /** Trie leaf reached, or -1. */
  leaf: number;
  ending: 'leaf' | 'stop' | 'length' | 'context';
}

/** Upper bounds that are planned and allocated before the first step and fixed for the run. */
export interface Capacity {
  /** Trajectories decoded at once. */
  rows: number;
  /**
   * Trajectories held at once, each with its K/V rows. Those beyond `rows` wait for their world or for a free row.
   * Default: `rows`.
   */
  slots?: number;
  /** Prompts held at once. */
  groups: number;
  promptTokens: number;
  /** Tokens of a trajectory after its prompt. */
  completionTokens: number;
  /**
   * Pages (of 16 tokens) of the K/V cache, shared by prompts and trajectories. Default: enough for all trajectories at
   * full length. With fewer, trajectories wait for free pages.
   */
  cachePages?: number;
  /** T of one packed batch. */
  batchTokens: number;
  /** N of one packed batch. */
  batchScored: number;
  /**
   * True if masked batches may contain free tokens, for instance of a thought, where the whole vocabulary is allowed.
   * Default: false.
   */
  freeTokens?: boolean;
}

/**
 * Allowed tokens that a batch in which every row has a list is planned for, for each scored token; with free tokens at
 * least the vocabulary.
 */
export const allowedPerScored = 64;

/**
 * Prompt with the slots that start from it. Groups with the same `key` share the prompt while any of its slots is held.
 */
export interface AdmittedGroup {
  key: number;
  prompt: Int32Array;
  slots: readonly number[];
  rowKeys: readonly number[];
}

/** Counters since creation. The cost of a step is the difference of two snapshots. */
export interface Counters {
  tokensPrefilled: number;
  tokensGenerated: number;
  tokensTrained: number;
  dispatches: number;
  submissions: number;
  readbacks: number;
  /** Floating-point operations: a multiply-add counts as two. */
  flops: number;
  buffersCreated: number;
}

/**
 * Named tensors of a checkpoint: parameters under their Hugging Face names, with the optimiser's moments (moments.ts).
 */
export type TensorMap = Map<string, { shape: number[]; data: Float32Array }>;

export interface PolicyState {
  tensors: TensorMap;
  /** Optimiser steps taken. */
  optimizerStep: number;
}

/** Admission control for a K/V cache with fewer pages than all trajectories may need. */
export interface PageBudget {
  /** Number of these groups, counted from the first, that can be admitted now. */
  admits(groups: readonly AdmittedGroup[]): number;
  /**
   * Reserves the pages of the row's next round. Returns false if the row must wait until others release pages. At least
   * one row never waits.
   */
  grow(row: GenerateRow): boolean;
}

/**
 * Plays, decoding in rounds: trajectories come, go and wait for their worlds while others are in the middle of a turn.
 * The tokens of a trajectory do not depend on the other rows decoded with it, except for rounding: the number of rows
 * may select another kernel.
 */
export interface Actor {
  readonly vocabSize: number;
  readonly numParameters: number;
  readonly capacity: Capacity;
  counters(): Counters;
  /** Absent: no row ever waits for pages. */
  readonly pages?: PageBudget;
  /** Adds groups, or members to groups that are already held. */
  admit(groups: readonly AdmittedGroup[]): Promise<void>;
  /** Releases slots. A prompt is released with its last slot. */
  release(slots: readonly number[]): void;
  /**
   * Empties a slot and keeps its prompt: the next round's `append` follows the prompt. Random numbers then have another
   * key, because positions repeat.
   */
  restart(slot: number, rowKey: number): void;
  /** Free tokens left in a slot. */
  room(slot: number): number;
  /**
   * Runs one round: each row's `append`, then a few sampled tokens. Null for a row whose turn continues in the next
   * round that names its slot; the `append` and `constraint` of that round are then ignored. A row without a constraint
   * ends its turn at a stop token or at `maxTokens`, a row with a constraint at a leaf.
   */
  generate(rows: readonly GenerateRow[], sampling: Sampling, signal?: AbortSignal): Promise<(GeneratedTurn | null)[]>;
  /** Tokens sampled so far in an unfinished turn, readable between two rounds. Absent if a round is a whole turn. */
  sampledSoFar?(slot: number): readonly number[];
  destroy(): void;
}

/** Plays and learns. */
export interface Learner extends Actor {
  /** Scores a batch. `temperature` divides the logits. */
  score(
    batch: PackedBatch,
    options: { temperature: number; weights: 'policy' | 'reference'; values?: boolean },
  ): Promise<Scores>;
  /**
   * Takes one optimiser step. `onBatch` is called after each forward and backward of a micro-batch with the number done
   * and their total.
   */
  update(
    request: UpdateRequest,
    options: { temperature: number; onBatch?: (done: number, total: number) => void },
  ): Promise<UpdateResult>;
  /**
   * Gradient of the update's loss over all trained values, in one list of fixed order. Takes no step and leaves no
   * trace: the next update is the same with or without it. Absent: the policy cannot measure it.
   */
  gradient?(
    request: Omit<UpdateRequest, 'optimizer' | 'critic'>,
    options: { temperature: number },
  ): Promise<Float32Array<ArrayBuffer>>;
  /** Numbers that belong to the training, not to the policy. Saved and loaded with its state. */
  readonly notes: Map<string, number>;
  /** Texts that belong to the training; the same holds for them. */
  readonly texts: Map<string, string>;
  /** Copies the current weights into the frozen reference. */
  freezeReference(): Promise<void>;
  /** Reads parameters and optimiser state back. */
  save(options?: { reference?: boolean }): Promise<PolicyState>;
  /** Loads a state. Checks shapes by name first; throws on a mismatch without changing anything. */
  load(state: PolicyState, options?: { reference?: boolean }): Promise<void>;
}
