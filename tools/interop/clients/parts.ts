/**
 * Checks our client against AgentGym's own servers: plays twenty episodes of each beside our own world, and trains a
 * tiny policy for five steps on those whose texts list their actions. Prints every difference, and what was skipped and
 * why.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDevice } from '../../../src/cli/node-device.ts';
import { stepLine } from '../../../src/cli/training-run.ts';
import { parseExperiment } from '../../../src/experiment/experiment.ts';
import { openWorldHere } from '../../../src/library/node/worlds.ts';
import type { SessionEvent, StepRecord } from '../../../src/session/protocol.ts';
import { Session } from '../../../src/session/run/session.ts';
import { Assembly } from '../../../src/session/service/assembly.ts';
import { FolderStore } from '../../../src/store/folder.ts';
import { RunStore } from '../../../src/store/run-store.ts';
import { worldNames } from '../../../src/worlds/registry.ts';
import { type Beside, playBeside } from './beside.ts';
import { type Original, Skipped, withServer } from './python.ts';

const EPISODES = 20;
const STEPS = 5;

type Part = Original & Beside & { trains?: { turns: number } };

const goalOf = (text: string) => text.slice(text.lastIndexOf('Goal: '));

/**
 * Stand-ins without content. The server's environments import packages for a type, a colour and unused mazes, which
 * would pull in JAX and more.
 */
const withoutJax = `
import sys, types
def stand_in(name, **has):
    module = types.ModuleType(name)
    module.__dict__.update(has)
    sys.modules[name] = module
stand_in('transformers')
stand_in('transformers.tokenization_utils', PreTrainedTokenizer=object)
stand_in('IPython', embed=None)
stand_in('termcolor', colored=lambda text, *_, **__: text)
stand_in('skimage')
stand_in('skimage.draw', disk=None, random_shapes=None, rectangle=None)
sys.path.insert(0, 'lmrlgym')
`;

const all: readonly Part[] = [
  {
    kind: 'textcraft',
    folder: 'agentenv-textcraft',
    module: 'agentenv_textcraft',
    packages: ['gymnasium', 'transformers'],
    // Items are numbered in the order in which the file system lists files, so sort them.
    first: 'import os; listed = os.listdir; os.listdir = lambda *at: sorted(listed(*at))',
    own: { name: 'textcraft', options: {} },
    // The order and choice of the commands shown beside the needed ones depend on Python's hashes, so only the goal is
    // compared.
    opening: goalOf,
    trains: { turns: 5 },
  },
  {
    kind: 'babyai',
    folder: 'agentenv-babyai',
    module: 'agentenv_babyai',
    packages: ['gym', 'gymnasium<1.0.0', 'matplotlib', 'minigrid<2.5.0'],
    own: { name: 'babyai', options: { upstream: true } },
    trains: { turns: 6 },
  },
  {
    kind: 'sciworld',
    folder: 'agentenv-sciworld',
    module: 'agentenv_sciworld',
    packages: ['scienceworld'],
    own: { name: 'sciworld', options: { upstream: true } },
    points: 100,
  },
  ...['maze', 'wordle'].map((name) => ({
    kind: name,
    folder: 'agentenv-lmrlgym',
    module: 'agentenv_lmrlgym',
    packages: ['tqdm'],
    first: withoutJax,
    submodule: { folder: 'lmrlgym', repository: 'https://github.com/abdulhaim/LMRL-Gym' },
    own: { name, options: { upstream: true } },
  })),
];

/** The servers whose worlds are in this build. */
const parts = all.filter(({ own }) => worldNames.includes(own.name));
export const originals: readonly Original[] = parts;

/** Runs a short training on the server's episodes only, and deletes the run afterwards. */
async function trainOn(kind: string, turns: number, address: string, print: (line: string) => void): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'tabgym-interop-'));
  const micro = JSON.parse(readFileSync('experiments/micro.json', 'utf8'));
  const name = `agentgym-${kind}`;
  const experiment = parseExperiment({
    ...micro,
    steps: STEPS,
    worlds: [{ name, weight: 1, options: { trainItems: '0-9', testItems: '40-44' } }],
    horizon: [{ steps: STEPS, turns }],
    sampling: { ...micro.sampling, promptTokens: 512, completionTokens: 1024 },
    evaluation: { ...micro.evaluation, every: STEPS, episodes: 4 },
  });
  const store = new RunStore(new FolderStore(folder));
  const machine = { open: () => openDevice({ device: 'wasm', threads: 1 }) };
  const engines = new Assembly({
    machine,
    openWorld: (each) => openWorldHere(each, each === name ? { address } : undefined),
  });
  const { id } = await store.create({ name, experiment, origin: { kind: 'new' } });
  const emit = (event: SessionEvent) => {
    if (event.type === 'step') print(`  ${stepLine(event.record, STEPS)}`);
    else if (event.type === 'notice') print(`  ${event.level}: ${event.message}`);
  };
  const session = new Session(id, experiment, { store, engines, emit });
  try {
    await session.train();
    const { step } = (await store.records<StepRecord>(id)).at(-1)!;
    print(`${kind}: a tiny policy trained ${step} steps on the server`);
  } finally {
    await session.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function checkPart(part: Part, print: (line: string) => void): Promise<boolean> {
  return withServer(part, async (address) => {
    const { starts, steps, won, differences, otherOpenings } = await playBeside(part, address, EPISODES);
    for (const difference of differences) print(`${part.kind}: ${difference}`);
    const others = otherOpenings ? `, ${otherOpenings} starts with other commands shown` : '';
    print(
      `${part.kind}: ${starts} starts and ${steps} steps compared, ${won} won, ${differences.length} differences${others}`,
    );
    if (part.trains) await trainOn(part.kind, part.trains.turns, address, print);
    return differences.length === 0;
  });
}

/** Checks all parts that can be installed, or only `kinds`. Returns true if nothing differs. */
export async function checkClients(kinds: readonly string[], print: (line: string) => void): Promise<boolean> {
  let agrees = true;
  for (const part of parts.filter(({ kind }) => !kinds.length || kinds.includes(kind))) {
    try {
      agrees = (await checkPart(part, print)) && agrees;
    } catch (error) {
      if (!(error instanceof Skipped)) throw error;
      print(`${part.kind}: skipped, ${error.message}`);
    }
  }
  return agrees;
}
