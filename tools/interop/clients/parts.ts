/**
 * Our client against AgentGym's own servers. Twenty episodes of each, our own world beside theirs; and
 * five steps of training a tiny policy on those whose texts list their actions. Prints every difference, and what was skipped and why.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { train } from '../../../src/cli/training.ts';
import { type Beside, playBeside } from './beside.ts';
import { type Original, Skipped, withServer } from './python.ts';

const EPISODES = 20;

type Part = Original & Beside & { trains?: { turns: number } };

const goalOf = (text: string) => text.slice(text.lastIndexOf('Goal: '));

const parts: readonly Part[] = [
  {
    kind: 'textcraft',
    folder: 'agentenv-textcraft',
    module: 'agentenv_textcraft',
    packages: ['gymnasium', 'transformers'],
    // Items are numbered in the order in which the machine lists its files.
    first: 'import os; listed = os.listdir; os.listdir = lambda *at: sorted(listed(*at))',
    own: { name: 'textcraft', options: {} },
    // Which commands are shown beside the needed ones, and in which order, hangs on Python's hashes.
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
  },
];

/** A small run on the server alone. */
async function trainOn(kind: string, turns: number, address: string, print: (line: string) => void): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'tabgym-interop-'));
  try {
    const file = join(folder, 'interop.json');
    const micro = JSON.parse(readFileSync('experiments/micro.json', 'utf8'));
    const worlds = [{ name: `agentgym-${kind}`, weight: 1, options: { trainItems: '0-39', testItems: '40-59' } }];
    const horizon = [{ steps: 5, turns }];
    const sampling = { ...micro.sampling, promptTokens: 512, completionTokens: 1024, maxTokensPerTurn: 32 };
    writeFileSync(file, JSON.stringify({ ...micro, worlds, horizon, sampling, steps: 5 }));
    const connect = { [`agentgym-${kind}`]: { address } };
    const options = { file, out: join(folder, 'run'), device: 'wasm', threads: 1, connect, print } as const;
    const { records } = await train(options);
    const failures = records.reduce((sum, { metrics }) => sum + (metrics.worldFailures ?? 0), 0);
    print(`${kind}: trained ${records.at(-1)?.step} steps, ${failures} world failures`);
  } finally {
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

/** Checks what can be had; true where nothing differs. `kinds`: only these. */
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
