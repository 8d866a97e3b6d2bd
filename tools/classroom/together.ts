/**
 * Training together against one machine: for each seed the same experiment trained alone, and by four members over HTTP
 * with stale episodes corrected by importance weights; one member vanishes in the middle. The curves must agree within
 * their intervals.
 */
import { readFileSync } from 'node:fs';
import { contribute } from '../../src/classroom/together/contribute.ts';
import { ClassHttp } from '../../src/classroom/together/http-client.ts';
import { correctedFor } from '../../src/classroom/together/sharable.ts';
import { SharedTraining } from '../../src/classroom/together/shared-training.ts';
import { createClassServer } from '../../src/cli/classroom/class-server.ts';
import { mountTraining } from '../../src/cli/classroom/training-routes.ts';
import { type Experiment, parseExperiment } from '../../src/experiment/experiment.ts';
import { openDevice } from '../../src/library/node/device.ts';
import type { Engine } from '../../src/session/engine.ts';
import { Assembly } from '../../src/session/service/assembly.ts';
import { openGuardedWorld } from '../../src/workers/spawn-world.ts';

const members = 4;
const code = 'K7QM3TXR';
const { signal } = new AbortController();

export async function engineOf(experiment: Experiment, shared?: SharedTraining): Promise<Engine> {
  const engines = new Assembly({
    machine: { open: () => openDevice({ device: 'wasm', threads: 1 }) },
    openWorld: (name) => openGuardedWorld(name),
    ...(shared && { elsewhere: shared.of }),
  });
  const parts = { assets: null, choices: null, purpose: 'train' as const, onProgress: () => {}, signal };
  const engine = await engines.open(experiment, parts);
  await engine.initialize();
  return engine;
}

/** Success of each step. */
export async function curveOf(engine: Engine, steps: number): Promise<number[]> {
  const curve: number[] = [];
  for (let step = 1; step <= steps; step++) {
    const { record } = await engine.training!.step(step, { signal });
    curve.push(record.metrics.success);
  }
  return curve;
}

/** Curve and counts of a training by four members, of which the last vanishes after two groups. */
async function together(experiment: Experiment, staleness: 0 | 1) {
  const nameOf = (secret: string): string => server.board.nameOf(secret);
  const shared = new SharedTraining({ staleness, patienceMs: 20_000, nameOf, print: console.log });
  const server = createClassServer({
    ...{ title: 'Class', code, teacherKey: 'key-of-the-teacher-here', page: null, report: console.error },
    door: { host: '127.0.0.1', hosts: [] },
    mount: (app) => mountTraining(app, { nameOf }, { shared, experiment }),
  });
  const client = new ClassHttp(`${await server.app.listen({ port: 0, host: '127.0.0.1' })}/`, code);
  const trainer = await engineOf(experiment, shared);
  const players = await Promise.all(
    Array.from({ length: members }, async (_, k) => {
      const { secret } = await client.call<{ secret: string }>('join', { name: `member ${k + 1}` });
      const engine = await engineOf(parseExperiment((await client.training()).experiment));
      const leaves = new AbortController();
      const calls = client.sharedBy(secret);
      const onContribution = ({ parts }: { parts: number }) => {
        if (k === members - 1 && parts === 2) leaves.abort();
      };
      // The one who leaves takes a last group with it.
      const played = contribute(engine, calls, { signal: leaves.signal, onContribution }).then(() =>
        leaves.signal.aborted ? calls.work() : null,
      );
      return { engine, played };
    }),
  );
  const curve = await curveOf(trainer, experiment.steps);
  shared.finish();
  await Promise.all(players.map(({ played }) => played));
  await Promise.all([trainer, ...players.map(({ engine }) => engine)].map((engine) => engine.close()));
  await server.close();
  return { curve, counts: shared.counts };
}

const meanOf = (values: readonly number[]) => values.reduce((sum, each) => sum + each, 0) / values.length;
const shown = (values: readonly number[]) => values.map((each) => each.toFixed(2)).join(' ');

/** Mean difference over seeds of the mean success, with its 95% interval (normal). */
export async function compareTogether(file: string, seeds: number, steps: number): Promise<number> {
  const base = JSON.parse(readFileSync(file, 'utf8'));
  const differences: number[] = [];
  let faults = 0;
  for (let seed = 1; seed <= seeds; seed++) {
    const experiment = parseExperiment({ ...base, seed, steps });
    const engine = await engineOf(experiment);
    const alone = await curveOf(engine, steps);
    await engine.close();
    const exact = seed === 1 ? await together(experiment, 0) : null;
    if (exact && exact.curve.join() !== alone.join()) faults++;
    const stale = await together(correctedFor(experiment) ?? experiment, 1);
    differences.push(meanOf(stale.curve) - meanOf(alone));
    console.log(`seed ${seed}, alone:             ${shown(alone)}`);
    if (exact) console.log(`seed ${seed}, four, staleness 0: ${shown(exact.curve)} ${JSON.stringify(exact.counts)}`);
    console.log(`seed ${seed}, four, staleness 1: ${shown(stale.curve)} ${JSON.stringify(stale.counts)}`);
  }
  const mean = meanOf(differences);
  const deviation = Math.sqrt(differences.reduce((sum, each) => sum + (each - mean) ** 2, 0) / (seeds - 1));
  const half = (1.96 * deviation) / Math.sqrt(seeds);
  const interval = seeds > 1 ? ` [${(mean - half).toFixed(3)}, ${(mean + half).toFixed(3)}]` : '';
  console.log(
    `staleness 1 minus alone, mean success over ${steps} steps: ${mean.toFixed(3)}${interval} over ${seeds} seeds; staleness 0: ${faults} faults`,
  );
  return faults;
}
