/**
 * `npm run test:own-worlds [-- NAME...]`: trains a tiny policy in each template of typed worlds, and in the worlds of
 * tools/learn/own-worlds, as Train in the page's editor does: check-up, fitted experiment, run. Prints success on
 * held-out tasks beside chance, and seconds. Exits with 1 if a world ends less than 0.3 above chance, or takes more than
 * five minutes of two cores.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkUp } from '../../src/envs/check-up.ts';
import { parseExperiment } from '../../src/experiment/experiment.ts';
import { presets } from '../../src/experiment/presets.ts';
import { typedExperiment, typedPreset } from '../../src/models/typed-experiment.ts';
import { openGuardedWorld } from '../../src/workers/spawn-world.ts';
import { typedWorld, worldTemplates } from '../../src/worlds/registry.ts';
import { trainToEnd } from './trained.ts';

const leastAbove = 0.3;
const mostSeconds = 300;
const cores = 2;

const folder = 'tools/learn/own-worlds';
const typed = Object.fromEntries(
  readdirSync(folder).map((file) => [file.replace('.js', ''), readFileSync(join(folder, file), 'utf8')]),
);

/** Check-up of a world and the experiment fitted to it, as one JSON text. */
async function fitted(name: string, code: string): Promise<string> {
  const first = parseExperiment(typedPreset(presets));
  const world = await openGuardedWorld(typedWorld().name);
  try {
    const report = await checkUp(world, { code }, { horizon: first.horizon.at(-1)!.turns });
    return JSON.stringify(typedExperiment(first, name, { code }, report));
  } finally {
    await world.close();
  }
}

const seconds = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1e6;

async function learns(name: string, code: string): Promise<boolean> {
  const [started, cpu] = [Date.now(), process.cpuUsage()];
  const out = mkdtempSync(join(tmpdir(), 'own-world-'));
  try {
    const file = join(out, 'experiment.json');
    writeFileSync(file, await fitted(name, code));
    const { records } = await trainToEnd({
      ...{ file, out: join(out, 'run'), device: 'wasm', threads: cores },
      ...{ allowCode: true, patienceMs: 600_000, print: () => {} },
    });
    const { policy, chance } = records.at(-1)!.evaluation!.test;
    const above = policy.rate - (chance?.rate ?? 0);
    const busy = seconds(process.cpuUsage(cpu));
    const ok = above >= leastAbove && busy <= cores * mostSeconds;
    console.log(
      `${ok ? 'ok   ' : 'BELOW'} ${name.padEnd(10)} held-out ${policy.rate.toFixed(3)}  chance ${(chance?.rate ?? 0).toFixed(3)}  above ${above.toFixed(3)}  ${((Date.now() - started) / 1000).toFixed(0)} s, ${busy.toFixed(0)} s of processor`,
    );
    return ok;
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

const wanted = process.argv.slice(2);
let below = 0;
for (const [name, code] of Object.entries({ ...(await worldTemplates()), ...typed }))
  if ((wanted.length === 0 || wanted.includes(name)) && !(await learns(name, code))) below += 1;
console.log(below ? `${below} below` : 'each at least 0.3 above chance');
process.exit(below ? 1 : 0);
