/**
 * Interface of a trainer that a run can be handed to; each has one module, listed in `registry.ts`. A module writes the
 * trainer's files from shared inputs: tasks in training order, the servers of their worlds, the policy, and the
 * settings through a ledger.
 */
import type { WorldOptions } from '../../envs/env.ts';
import type { FunctionTool } from '../../envs/tools.ts';
import type { Experiment } from '../../experiment/experiment.ts';
import type { Ledger } from './ledger.ts';

/** Thrown when a run cannot be handed to this trainer; the message has the reason and a remedy. */
export class HandoffError extends Error {
  override name = 'HandoffError';
}

/** A task for another trainer, with its place on the server of its world. */
export interface TaskRow {
  /** AgentGym's name of the item: `textcraft_12`. */
  item: string;
  world: string;
  id: number;
  /** Index of the server. */
  server: number;
  split: 'train' | 'test';
  /** Index in the split, as in OpenEnv's Task API. */
  index: number;
  /** `data_idx` in AgentGym's protocol; null: the task is not an item of AgentGym. */
  dataIndex: number | null;
  instruction: string;
  acknowledgement: string;
  /** Null: the world has no oracle. */
  oracleTurns: number | null;
  successReward: number;
  strata: { [name: string]: number | string };
}

/** A process that serves one world with one set of options. */
export interface WorldServer {
  world: string;
  title: string;
  port: number;
  options: WorldOptions;
  /** AgentGym's name of the server's task. */
  agentgym: string;
  /** Path of AgentGym's protocol, appended to the address. */
  agentgymPath: string;
  /** Null: the world is played by texts. */
  tools: readonly FunctionTool[] | null;
  /** Instruction beside a list of the tools; null: none of its own. */
  callInstruction: string | null;
}

export interface HandedPolicy {
  /**
   * `model`: a whole model in the Hugging Face layout; `adapter`: an adapter in PEFT's. `files` null: a new adapter.
   */
  form: 'model' | 'adapter';
  files: NamedBytes | null;
  /** Base model of an adapter. */
  base: { name: string; revision: string | null } | null;
  /** True if it uses a language model's text format, with an instruction. */
  instructed: boolean;
}

export interface HandoffInput {
  name: string;
  experiment: Experiment;
  /** Number of committed steps (`done`) and of steps still to train (`steps`). */
  done: number;
  steps: number;
  /** In the run's training order, `groups` tasks per step. */
  train: readonly TaskRow[];
  test: readonly TaskRow[];
  servers: readonly WorldServer[];
  policy: HandedPolicy;
}

/** Files by their path in the folder. */
export type NamedBytes = { readonly [path: string]: Uint8Array };
export type NamedTexts = { [path: string]: string };

/** A YAML or JSON document before it is written as text. */
export type Settings = { [key: string]: Settings | SettingsValue | readonly SettingsValue[] };
type SettingsValue = string | number | boolean | null;

export interface HandoffTarget {
  name: string;
  /** Its key among an algorithm's counterparts. Default: `name`. */
  trainer?: string;
  label: string;
  /** One sentence for the user. */
  sentence: string;
  /** Packages to install: `verl==0.9.1`. */
  pins: readonly string[];
  /** Protocol over which it plays. */
  // not a kind: a protocol
  protocol: 'openenv' | 'agentgym';
  /** The trainer's own files, in addition to the policy, the servers' data and the README. Throws a HandoffError. */
  write(input: HandoffInput, ledger: Ledger): NamedTexts;
  /** Commands that start the training and bring the result back, for the README. */
  howTo(input: HandoffInput): { start: string; back: string };
}
