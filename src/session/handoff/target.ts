/**
 * What a trainer is that a run is handed to: one module a trainer, listed in `registry.ts`. A module writes that trainer's files from
 * what all of them need: tasks in the order of the run, the servers of their worlds, the policy, and the settings by a ledger.
 */
import type { WorldOptions } from '../../envs/env.ts';
import type { Experiment } from '../../experiment/experiment.ts';
import type { Ledger } from './ledger.ts';

/** A run that cannot be handed to this trainer: why, and what to do. */
export class HandoffError extends Error {
  override name = 'HandoffError';
}

/** A task as another trainer meets it: its place on the server of its world. */
export interface TaskRow {
  /** `textcraft_12`, as AgentGym names items. */
  item: string;
  world: string;
  id: number;
  /** Which of the servers. */
  server: number;
  split: 'train' | 'test';
  /** Place in the split, as OpenEnv's Task API counts. */
  index: number;
  /** `data_idx` of AgentGym's protocol; null: no item of it is this task. */
  dataIndex: number | null;
  instruction: string;
  acknowledgement: string;
  /** null: the world has no oracle. */
  oracleTurns: number | null;
  successReward: number;
  strata: { [name: string]: number | string };
}

/** One process that serves a world under one set of options. */
export interface WorldServer {
  world: string;
  title: string;
  port: number;
  options: WorldOptions;
  /** What AgentGym calls the server's task. */
  agentgym: string;
  /** Below the address, of AgentGym's protocol. */
  agentgymPath: string;
}

export interface HandedPolicy {
  /** A whole model in the Hugging Face layout, or an adapter in PEFT's; null: an adapter that starts from nothing. */
  form: 'model' | 'adapter';
  files: NamedBytes | null;
  /** Of an adapter: the model that it stands beside. */
  base: { name: string; revision: string | null } | null;
  /** Whether it takes turns in a language model's words, with an instruction. */
  instructed: boolean;
}

export interface HandoffInput {
  name: string;
  experiment: Experiment;
  /** Steps that are done, and that are still to be. */
  done: number;
  steps: number;
  /** In the order in which the run would train on them, `groups` a step. */
  train: readonly TaskRow[];
  test: readonly TaskRow[];
  servers: readonly WorldServer[];
  policy: HandedPolicy;
}

/** Files by their path in the folder. */
export type NamedBytes = { readonly [path: string]: Uint8Array };
export type NamedTexts = { [path: string]: string };

/** A document in YAML or JSON, before it is text. */
export type Settings = { [key: string]: Settings | SettingsValue | readonly SettingsValue[] };
export type SettingsValue = string | number | boolean | null;

export interface HandoffTarget {
  name: string;
  label: string;
  /** One sentence for a person. */
  sentence: string;
  /** What is installed there: `verl==0.9.1`. */
  pins: readonly string[];
  /** Facts of the protocol that it plays by. */
  // not a kind: a protocol
  protocol: 'openenv' | 'agentgym';
  /** What it writes beside policy, data of the servers and README. Throws a HandoffError. */
  write(input: HandoffInput, ledger: Ledger): NamedTexts;
  /** How to start it, and what comes out, for the README. */
  howTo(input: HandoffInput): { start: string; back: string };
}
