// The experiment that trains in a typed world: imitation only with an oracle, a horizon the world allows, enough room.
import { beforeAll, describe, expect, it } from 'vitest';
import { checkUp } from '../../src/envs/check-up.ts';
import type { World } from '../../src/envs/env.ts';
import { parseExperiment } from '../../src/experiment/experiment.ts';
import { presets } from '../../src/experiment/presets.ts';
import { isLearnable, typedExperiment, typedPreset, worldTokens } from '../../src/models/typed-experiment.ts';
import { openWorld } from '../../src/worlds/registry.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld('own-world');
});

const first = parseExperiment(typedPreset(presets));

/** Of four switches two are wrong: the quickest players need two turns. */
const switches = (oracle: string) => `let on;
export const tasks = () => Array.from({ length: 30 }, (_, n) => ({ n }));
export const reset = ({ n }) => { on = [0, 0, 0, 0]; on[n % 4] = 1; on[(n + 1) % 4] = 1; return 'case ' + n + ' ' + on.join(' '); };
export const step = (action) => { on[Number(action.slice(6))] ^= 1; const right = !on.includes(1); return { text: on.join(' '), reward: right ? 1 : 0, done: right }; };
export const validActions = () => [0, 1, 2, 3].map((k) => 'press ' + k);
${oracle}`;

async function fitted(code: string) {
  const report = await checkUp(world, { code }, { episodes: 60, horizon: first.horizon.at(-1)!.turns });
  return { report, experiment: typedExperiment(first, 'Switches', { code, seed: 4 }, report) };
}

describe('the experiment for a typed world', () => {
  it('imitates the oracle first, under its horizon', async () => {
    const code = switches("export const oracle = () => 'press ' + on.indexOf(1);");
    const { experiment } = await fitted(code);
    expect(experiment.stages?.map(({ algorithm }) => algorithm.name)).toEqual(['sft']);
    expect(experiment.horizon).toEqual(first.horizon);
    expect(experiment.name).toBe('Switches');
    expect(experiment.worlds[0]).toMatchObject({ name: 'own-world', options: { code, seed: 4 } });
  });

  it('learns from reward alone without an oracle, in as few turns as the quickest random players needed', async () => {
    const { experiment, report } = await fitted(switches(''));
    expect(report.oracle).toBeNull();
    expect(experiment.stages).toBeUndefined();
    const [{ turns }] = experiment.horizon;
    expect(turns).toBe(report.chance.quickTurns);
    expect(turns).toBeGreaterThanOrEqual(2);
    expect(turns).toBeLessThan(report.chance.turns);
  });

  it('has room for every text that the check-up saw', async () => {
    const { experiment, report } = await fitted(switches("export const oracle = () => 'press ' + on.indexOf(1);"));
    const tokens = worldTokens(report);
    // "case 29 1 0 0 1", and "press 3".
    expect(tokens).toMatchObject({ opening: 6, action: 2, fits: true });
    expect(experiment.sampling.promptTokens).toBeGreaterThan(tokens.opening);
    expect(experiment.sampling.completionTokens).toBeGreaterThan(tokens.episode);
    expect(experiment.sampling.maxTokensPerTurn).toBeGreaterThan(tokens.action);
  });

  it('reports texts without room for them', async () => {
    const code = switches('').replace("'case '", "'a '.repeat(3000) + 'case '");
    const { experiment, report } = await fitted(code);
    expect(worldTokens(report).fits).toBe(true);
    expect(isLearnable({ findings: [] }, worldTokens(report))).toBe(true);
    expect(experiment.sampling.promptTokens).toBeLessThan(8192);
    const longer = await fitted(code.replace('3000', '9000'));
    expect(worldTokens(longer.report).fits).toBe(false);
    expect(isLearnable({ findings: [] }, worldTokens(longer.report))).toBe(false);
    expect(isLearnable({ findings: [{ kind: 'few-tasks', detail: '9', note: true }] }, { fits: true })).toBe(true);
    expect(isLearnable({ findings: [{ kind: 'easy', detail: '90', note: false }] }, { fits: true })).toBe(false);
    expect(longer.experiment.sampling.promptTokens).toBe(8192);
  });
});
