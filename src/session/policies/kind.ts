/**
 * Interface of a kind of policy in a session: plan its memory, open an engine that plays or trains it, and export and
 * import it. Its part of the experiment format is in `experiment/policies/` under the same name.
 */

import type { Device } from '../../device/device.ts';
import type { Experiment } from '../../experiment/experiment.ts';
import type { PolicyName, PolicyOf } from '../../experiment/policies/registry.ts';
import type { BaseModels } from '../../models/base-model.ts';
import type { ModelConfig } from '../../policy/config.ts';
import type { Learner, PolicyState, TensorMap } from '../../policy/policy.ts';
import type { Elsewhere } from '../../rl/elsewhere.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { AdapterMemory } from '../../store/adapter-memory.ts';
import type { NewRun } from '../../store/run-store.ts';
import type { ModelSettings } from '../api/model-connection.ts';
import type { DeviceUse } from '../device/gpu-report.ts';
import type { Engine, OpenOptions } from '../engine.ts';
import type { OpenWorld } from '../opened-worlds.ts';
import type { DeviceChoice, MemoryPlanReport } from '../protocol.ts';
import type { Tokenizers } from '../text/tokenizers.ts';

/** An experiment whose policy has this kind. */
export type ExperimentOf<Name extends PolicyName> = Omit<Experiment, 'policy'> & { policy: PolicyOf<Name> };

/** Services that an assembly provides to all kinds of policy. */
export interface Services {
  /** Rejects with DeviceUnavailableError if there is none. */
  device(use?: DeviceUse): Promise<Device>;
  /** Reason for the choice of device, if there was one. */
  deviceChoice(): DeviceChoice | null;
  openWorld: OpenWorld;
  tokenizers: Tokenizers;
  /** Throws if no language model can be opened. */
  modelsFor(policy: { model: string }): BaseModels;
  /**
   * Settings of a model's server: its key (held in memory only), and whether requests are allowed. Absent: allowed,
   * without a key.
   */
  modelSettings?: ModelSettings;
  /** Earlier measurements on this adapter. */
  adapters?: AdapterMemory;
  /** Sandbox for experiments that contain code; absent: they are refused. */
  openSandbox?(): Sandbox;
  /** Place where a learner's training episodes are played; absent: on its own device. */
  elsewhere?(learner: Learner): Elsewhere;
}

/** Metadata of a checkpoint that was not produced by a training step of this project. */
export const untrained = { step: 0, optimizerStep: 0, kernelChoices: {}, batchPlan: {}, adapter: '' };

/** Files by their names in a zip. */
export type NamedFiles = { [name: string]: Uint8Array };

/** Files that a run stores of its policy. */
export interface KeptPolicy {
  /** Checkpoint of the last step that has one. */
  checkpoint: Uint8Array | undefined;
  config: Uint8Array | null | undefined;
  tokenizer: Uint8Array | null | undefined;
  /** tokenizer_config.json and chat_template.jinja, if the run has them. A tiny policy has neither. */
  chat?: NamedFiles;
}

export interface SessionPolicy<Name extends PolicyName> {
  /** `assets`: files of the run, among them the policies that teach it. */
  plan(experiment: ExperimentOf<Name>, services: Services, assets: OpenOptions['assets']): Promise<MemoryPlanReport>;
  open(experiment: ExperimentOf<Name>, options: OpenOptions, services: Services): Promise<Engine>;
  /** The policy's files from a run. Throws a StoreError if there are none. */
  export(policy: PolicyOf<Name>, kept: KeptPolicy): NamedFiles;
  /**
   * A run at step 0 with the policy of a zip, in the preset's worlds; null: the zip has no policy of this kind. Absent:
   * import is not supported.
   */
  import?(bytes: Uint8Array, preset: Experiment, fileName: string, beside?: string | null): NewRun | null;
  /**
   * Adds the layers that the experiment has and the run's checkpoint and files lack. Absent: the kind cannot add
   * layers.
   */
  grow?(experiment: ExperimentOf<Name>, run: GrowingRun): GrowingRun;
}

/** The stored files of a run that change when its policy gets more layers. */
interface GrowingRun {
  checkpoint: Uint8Array;
  assets: NamedFiles;
}

/** Initial state of a kind of policy that is trained. */
export interface Start {
  /** Trained values before the first step. */
  initial(config: ModelConfig): TensorMap;
  /** True if the learner holds a copy of the first weights as the reference. */
  copiesReference: boolean;
  /** The reference weights in a run's storage format; read before the first update. */
  reference(learner: Learner): Promise<PolicyState>;
}
