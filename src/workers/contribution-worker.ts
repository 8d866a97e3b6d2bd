/**
 * Plays episodes for the training of a class, on the processor and in a worker of its own, so that the page's run is
 * left alone.
 */
import * as Comlink from 'comlink';
import { type ContributionApi, contribute } from '../classroom/together/contribute.ts';
import { ClassHttp } from '../classroom/together/http-client.ts';
import { requireSharable } from '../classroom/together/sharable.ts';
import { WasmDevice } from '../device/wasm/device.ts';
import { parseExperiment } from '../experiment/experiment.ts';
import { Assembly } from '../session/service/assembly.ts';
import { openGuardedWorld } from './spawn-world.ts';

const engines = new Assembly({
  machine: { open: () => WasmDevice.open({ relaxed: true }) },
  openWorld: (name) => openGuardedWorld(name),
});

const api: ContributionApi = {
  async play({ base, code, secret }, onPart) {
    const client = new ClassHttp(base, code);
    const experiment = parseExperiment((await client.training()).experiment);
    requireSharable(experiment);
    const { signal } = new AbortController();
    const options = { assets: null, choices: null, purpose: 'train' as const, onProgress: () => {}, signal };
    const engine = await engines.open(experiment, options);
    try {
      return await contribute(engine, client.sharedBy(secret), { signal, onPart });
    } finally {
      await engine.close();
    }
  },
};

Comlink.expose(api);
