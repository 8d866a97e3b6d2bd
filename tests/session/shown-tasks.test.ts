/** Tasks with which the gallery shows its agents: each is solved, with the weights that are shipped. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { promptRulesOf } from '../../src/envs/env.ts';
import { parseExperiment } from '../../src/experiment/experiment.ts';
import { Session } from '../../src/session/run/session.ts';
import { Assembly } from '../../src/session/service/assembly.ts';
import { readGallery } from '../../src/session/shipped-agent.ts';
import { readRun } from '../../src/store/bundle.ts';
import { FolderStore } from '../../src/store/folder.ts';
import { RunStore } from '../../src/store/run-store.ts';
import { openWorld, worldModule } from '../../src/worlds/registry.ts';
import { noGpu } from './machines.ts';

const folder = mkdtempSync(join(tmpdir(), 'tabgym-shown-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const agents = readGallery(JSON.parse(readFileSync('public/agents/index.json', 'utf8')));
// An agent that completes no whole task within its turns has none to show; an adapter needs a download.
const solving = agents.filter(({ headline, base }) => headline && headline.success.mean > 0 && !base);

it.each(solving.map((agent) => [agent.name, agent.firstTask ?? 0] as const))(
  '%s solves task %i, with which it is shown',
  { timeout: 600_000 },
  async (name, task) => {
    const file = `${name}.tabgym`;
    const run = readRun(readFileSync(join('public/agents', name, file)), file);
    const store = new RunStore(new FolderStore(join(folder, name)));
    const { id } = await store.create(run);
    const experiment = parseExperiment(run.experiment);
    const engines = new Assembly({ machine: noGpu, openWorld });
    const session = new Session(id, experiment, { store, engines, emit: () => {} });
    const [turns] = await session.tries({ weights: 'last', split: 'test', tasks: [task] });
    await session.close();
    const { name: world, options } = experiment.worlds[0];
    const { successReward } = promptRulesOf(worldModule(world), { options });
    expect(turns.at(-1)!.done).toBe(true);
    expect(turns.at(-1)!.reward).toBeGreaterThanOrEqual(successReward);
  },
);
