/**
 * Plays episodes for the training of a class, on the processor and in a worker of its own, so that the page's run is
 * left alone.
 */
import * as Comlink from 'comlink';
import { answered, type ContributionApi, contribute, type OnContribution } from '../classroom/together/contribute.ts';
import { ClassHttp, ClassRefused } from '../classroom/together/http-client.ts';
import { requireSharable } from '../classroom/together/sharable.ts';
import { WasmDevice } from '../device/wasm/device.ts';
import { parseExperiment } from '../experiment/experiment.ts';
import { Assembly } from '../session/service/assembly.ts';
import { openGuardedWorld } from './spawn-world.ts';

const engines = new Assembly({
  machine: { open: () => WasmDevice.open({ relaxed: true }) },
  openWorld: (name) => openGuardedWorld(name),
});

async function play(client: ClassHttp, secret: string, onContribution: OnContribution): Promise<void> {
  const { signal } = new AbortController();
  const onSilence = () => onContribution({ parts: 0, version: -1, reached: false });
  const { experiment: given } = await answered(() => client.training(), { signal, onSilence });
  const experiment = parseExperiment(given);
  requireSharable(experiment);
  const options = { assets: null, choices: null, purpose: 'train' as const, onProgress: () => {}, signal };
  const engine = await engines.open(experiment, options);
  try {
    await contribute(engine, client.sharedBy(secret), { signal, onContribution });
  } finally {
    await engine.close();
  }
}

const api: ContributionApi = {
  async play({ base, code, secret }, onContribution) {
    try {
      await play(new ClassHttp(base, code), secret, onContribution);
      return null;
    } catch (error) {
      if (!(error instanceof ClassRefused)) throw error;
      const { type, message } = error;
      return { type, message };
    }
  },
};

Comlink.expose(api);
