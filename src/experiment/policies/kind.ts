/**
 * Interface of a kind of policy: the schema of its settings, and the facts that page and command line read.
 * `session/policies/` opens and trains it, under the same name.
 */
import type * as v from 'valibot';

export interface PolicyFacts {
  /** Label in lists. */
  label: string;
  /** One-sentence explanation. */
  sentence: string;
  /** Short text for one policy; `{path}` stands for a setting. */
  summary: string;
  /** True if runs train it. If false, `playsOnly` gives the reason in one sentence. */
  trains: boolean;
  playsOnly?: string;
  /** True if a run has weights of its own, which can be exported. */
  exports: boolean;
  /**
   * True if all its weights belong to the run and start at random. Imitation (`npm run imitate`) makes such a policy.
   */
  ownWeights: boolean;
  /** True if it is a pretrained language model: it writes freely, in whole messages, and needs room for them. */
  languageModel: boolean;
  /** True if this project's engine runs it, so that its GPU memory is planned. */
  planned: boolean;
}

export interface Problem {
  path: string;
  message: string;
}

export interface PolicyKind<Schema extends v.GenericSchema = v.GenericSchema> {
  facts: PolicyFacts;
  schema: Schema;
  /** Settings that the page starts from when this kind is chosen. */
  start(): v.InferOutput<Schema>;
  /** Problems that involve several fields. */
  problems(policy: v.InferOutput<Schema>): Problem[];
}

export const definePolicy = <Schema extends v.GenericSchema>(kind: PolicyKind<Schema>): PolicyKind<Schema> => kind;
