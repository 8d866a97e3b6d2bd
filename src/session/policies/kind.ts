/**
 * What a session does with a kind of policy: plan its memory, open an engine that plays or trains it, and take out of a run what
 * is its own. What the kind is to a document stands in `experiment/policies/` under the same name.
 */

import type { Device } from '../../device/device.ts';
import type { ConnectionSettings } from '../../envs/module.ts';
import type { Experiment } from '../../experiment/experiment.ts';
import type { PolicyName, PolicyOf } from '../../experiment/policies/registry.ts';
import type { BaseModels } from '../../models/base-model.ts';
import type { ModelConfig } from '../../policy/config.ts';
import type { Learner, PolicyState, TensorMap } from '../../policy/policy.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { AdapterMemory } from '../../store/adapter-memory.ts';
import type { NewRun } from '../../store/run-store.ts';
import type { DeviceUse } from '../device/gpu-report.ts';
import type { Engine, OpenOptions } from '../engine.ts';
import type { OpenWorld } from '../opened-worlds.ts';
import type { DeviceChoice, MemoryPlanReport } from '../protocol.ts';
import type { Tokenizers } from '../text/tokenizers.ts';

/** An experiment whose policy is of one kind. */
export type ExperimentOf<Name extends PolicyName> = Omit<Experiment, 'policy'> & { policy: PolicyOf<Name> };

/** What an assembly has for all kinds of policy. */
export interface Services {
  /** Rejects with DeviceUnavailableError where there is none. */
  device(use?: DeviceUse): Promise<Device>;
  /** Why it is this device, where there was a choice. */
  deviceChoice(): DeviceChoice | null;
  openWorld: OpenWorld;
  tokenizers: Tokenizers;
  /** Throws where none can be opened. */
  modelsFor(policy: { model: string }): BaseModels;
  /** Of the server of a model that is asked: its key, in memory only, and whether it may be asked at all. Absent: it may, without a key. */
  modelSettings?(address: string): ConnectionSettings;
  /** What was measured on this adapter before. */
  adapters?: AdapterMemory;
  /** For experiments that carry code; absent: they are refused. */
  openSandbox?(): Sandbox;
}

/** Of a checkpoint that no step of this project made. */
export const untrained = { step: 0, optimizerStep: 0, kernelChoices: {}, batchPlan: {}, adapter: '' };

/** Files by their names in a zip. */
export type NamedFiles = { [name: string]: Uint8Array };

/** What a run keeps of its policy. */
export interface KeptPolicy {
  /** Of the last step that has one. */
  checkpoint: Uint8Array | undefined;
  config: Uint8Array | null | undefined;
  tokenizer: Uint8Array | null | undefined;
}

export interface SessionPolicy<Name extends PolicyName> {
  plan(experiment: ExperimentOf<Name>, services: Services): Promise<MemoryPlanReport>;
  open(experiment: ExperimentOf<Name>, options: OpenOptions, services: Services): Promise<Engine>;
  /** What of a run is the policy's own. Throws a StoreError where there is nothing. */
  export(policy: PolicyOf<Name>, kept: KeptPolicy): NamedFiles;
  /**
   * A run at step 0 that holds the policy of a zip, in the preset's worlds; null: the zip is no policy of this kind. Absent: none
   * can be brought in.
   */
  import?(bytes: Uint8Array, preset: Experiment, fileName: string): NewRun | null;
  /** A run's checkpoint and files with the layers that the experiment has and they lack. Absent: the kind has no layers to add. */
  grow?(experiment: ExperimentOf<Name>, run: GrowingRun): GrowingRun;
}

/** What a run keeps that changes when its policy grows. */
export interface GrowingRun {
  checkpoint: Uint8Array;
  assets: NamedFiles;
}

/** How a kind of policy that is trained begins. */
export interface Start {
  /** Its trained values before the first step. */
  initial(config: ModelConfig): TensorMap;
  /** Whether the learner holds a copy of the first weights to compare with. */
  copiesReference: boolean;
  /** The weights that it is compared with, as a run keeps them; asked for before the first update. */
  reference(learner: Learner): Promise<PolicyState>;
}
