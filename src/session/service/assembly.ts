/**
 * Builds the real engines: opens, plans and reports on them. The caller (a page's worker, Node) provides functions that
 * open the GPU and the worlds; code that depends on the kind of policy is in `policies/`.
 */

import type { World } from '../../envs/env.ts';
import type { Experiment } from '../../experiment/experiment.ts';
import { type BaseModels, NoBaseModelError } from '../../models/base-model.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { AdapterMemory } from '../../store/adapter-memory.ts';
import { type GpuMachine, reportOf, unsupported } from '../device/gpu-report.ts';
import { SharedDevice } from '../device/shared-device.ts';
import type { Engine, EngineFactory, OpenOptions } from '../engine.ts';
import type { Services } from '../policies/kind.ts';
import { sessionPolicy } from '../policies/registry.ts';
import type { GpuReport, MemoryPlanReport } from '../protocol.ts';
import { SETTLE_MS } from '../run/session.ts';
import { Tokenizers } from '../text/tokenizers.ts';

export interface AssemblyParts {
  machine: GpuMachine;
  openWorld(name: string): Promise<World>;
  /** Earlier measurements on this adapter. */
  adapters?: AdapterMemory;
  /** Settings of a model's server: its key (held in memory only), and whether requests are allowed. */
  modelSettings?: Services['modelSettings'];
  /** Language models; absent: none can be opened. */
  models?: BaseModels;
  /** Sandbox for experiments that contain code; absent: they are refused. */
  openSandbox?(): Sandbox;
  /** Place where training episodes are played; absent: on this device. */
  elsewhere?: Services['elsewhere'];
}

export class Assembly implements EngineFactory {
  private readonly services: Services;
  private readonly device: SharedDevice;

  constructor(private readonly parts: AssemblyParts) {
    const { machine, openWorld, adapters, openSandbox } = parts;
    this.device = new SharedDevice(machine);
    this.services = {
      device: (use) => this.device.open(use),
      deviceChoice: () => machine.choice ?? null,
      openWorld,
      tokenizers: new Tokenizers(openWorld),
      modelsFor: (policy) => this.modelsFor(policy),
      adapters,
      ...(parts.modelSettings && { modelSettings: parts.modelSettings }),
      openSandbox,
      elsewhere: parts.elsewhere,
    };
  }

  private modelsFor({ model }: { model: string }): BaseModels {
    if (this.parts.models) return this.parts.models;
    throw new NoBaseModelError(
      `The language model ${model} cannot be opened here: this program has no library of models.`,
    );
  }

  async report(): Promise<GpuReport> {
    try {
      const report = await reportOf(await this.services.device());
      return { ...report, choice: this.services.deviceChoice() };
    } catch (error) {
      return unsupported(error as Error);
    }
  }

  giveBackThread(): Promise<number | null> {
    return this.device.giveBackThread();
  }

  /** Releases the device, so that the next one is chosen again. No engine may be open. */
  closeDevice(): Promise<void> {
    return this.device.close();
  }

  plan(experiment: Experiment, assets: OpenOptions['assets'] = null): Promise<MemoryPlanReport> {
    return sessionPolicy(experiment.policy).plan(experiment, this.services, assets);
  }

  async open(experiment: Experiment, options: OpenOptions): Promise<Engine> {
    try {
      return await sessionPolicy(experiment.policy).open(experiment, options, this.services);
    } catch (error) {
      // A pending operation may fail before the device reports its loss.
      await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
      throw (await this.device.failure()) ?? error;
    }
  }

  openWorld(name: string): Promise<World> {
    return this.parts.openWorld(name);
  }
}
