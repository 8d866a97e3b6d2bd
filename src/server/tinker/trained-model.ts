/**
 * The server's interface to a policy that its clients train: functions over weights that they never change. The caller
 * that starts the server supplies it.
 */

/** A request that is not honoured; the message names the field and the reason. */
export class RefusedError extends Error {
  override name = 'RefusedError';
  constructor(
    message: string,
    readonly status = 400,
  ) {
    super(message);
  }
}

/** A policy's weights with the optimiser's state, unchanged by every call. */
export type Weights = object;

/** A sequence, the token to predict at each of its positions, and the loss's columns, (N) each. */
export interface Datum {
  tokens: Int32Array;
  targets: Int32Array;
  columns: { readonly [name: string]: Float32Array };
}

export interface NamedLoss {
  name: string;
  settings: { readonly [name: string]: number };
}

/** Per datum, (N) each: log-probability of the targets, loss, and the loss's derivative by the log-probability. */
export interface Scored {
  logprobs: Float32Array;
  losses: Float64Array;
  weights: Float64Array;
}

/** A datum with the derivatives that the next optimiser step descends. */
export type Held = Pick<Datum, 'tokens' | 'targets'> & Pick<Scored, 'weights'>;

interface AdamSettings {
  learningRate: number;
  beta1: number;
  beta2: number;
  epsilon: number;
  weightDecay: number;
  /** Infinity: no clipping. */
  maxGradNorm: number;
}

interface SampleRequest {
  prompt: Int32Array;
  count: number;
  temperature: number;
  /** null: as many as the context has room for. */
  maxTokens: number | null;
  /** null: the tokens that end a turn of this policy. */
  stopTokens: readonly number[] | null;
  seed: number;
}

export interface Sample {
  tokens: Int32Array;
  logprobs: Float32Array;
  ending: 'stop' | 'length';
}

/** Kinds of a saved state: with the optimiser's state, or weights alone. */
export const stateKinds = ['weights', 'sampler_weights'] as const;

export interface StateName {
  /** The training client that saved it. */
  owner: string;
  kind: (typeof stateKinds)[number];
  name: string;
}

export interface TrainedModel {
  /** Name of the model in requests. */
  id: string;
  /** Largest number of tokens of a prompt with its reply. */
  contextTokens: number;
  vocabSize: number;
  /** Losses by name, with their columns and the defaults of their settings; null: the setting is required. */
  losses: {
    readonly [name: string]: {
      columns: readonly string[];
      settings: { readonly [name: string]: number | null };
    };
  };
  /** The adapter that is trained, and the parts of a layer that it changes. Absent: all weights of the policy are trained. */
  adapter?: { rank: number; attention: boolean; mlp: boolean } | undefined;
  /** Weights that a client starts from. */
  base: Weights;
  /** The token with this text; null: the text is not one token. */
  token(text: string): number | null;
  /** Throws a RefusedError for a prompt without room for the tokens asked for. */
  checkRoom(prompt: Int32Array, maxTokens: number | null): void;
  score(weights: Weights, data: readonly Datum[], loss: NamedLoss): Promise<Scored[]>;
  step(
    weights: Weights,
    held: readonly Held[],
    settings: AdamSettings,
  ): Promise<{ weights: Weights; gradNorm: number }>;
  sample(weights: Weights, request: SampleRequest): Promise<Sample[]>;
  /** Log-probability of each token of a prompt after its first. */
  promptLogprobs(weights: Weights, prompt: Int32Array): Promise<Float32Array>;
  /** The same weights with a new optimiser. */
  withoutOptimizer(weights: Weights): Weights;
  save(weights: Weights, place: StateName, overwrite: boolean): Promise<void>;
  /** null: there is no such state. Throws a RefusedError for a state of another policy. */
  restore(place: StateName): Promise<Weights | null>;
}
