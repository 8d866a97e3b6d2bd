// The memory that the page prints for a run before it begins equals the memory allocated once it is open, whatever its
// algorithm needs: a critic's read-back, a second model, a second forward pass over all rows of an update.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { WasmDevice } from '../../src/device/wasm/device.ts';
import { parseExperiment } from '../../src/experiment/experiment.ts';
import { Assembly } from '../../src/session/service/assembly.ts';
import { openWorld } from '../../src/worlds/registry.ts';

const micro = JSON.parse(readFileSync('experiments/micro.json', 'utf8'));
const shared = { groups: 2, groupSize: 4 };
const completionTokens = micro.sampling.completionTokens;
const rows = shared.groups * shared.groupSize * completionTokens;
const hidden = micro.policy.hidden;
const opening = { assets: null, choices: null, onProgress: () => {}, signal: new AbortController().signal };

it('a run that a device of little memory cannot hold is refused in its plan', async () => {
  const device = await WasmDevice.open({ threads: 1, mostBytes: 64 * 2 ** 20 });
  const assembly = new Assembly({ machine: { open: async () => device }, openWorld });
  const small = await assembly.plan(parseExperiment(micro));
  expect(small).toMatchObject({ fits: true });
  const policy = { kind: 'lora', model: 'smollm2-135m', weights: 'int8' };
  const { fits, total, advice } = await assembly.plan(parseExperiment({ ...micro, policy }));
  expect(fits).toBe(false);
  expect(total).toBeLessThan(2 ** 31);
  const room = (device.memoryBytes / 1e6).toFixed(1);
  expect(device.memoryBytes).toBeLessThan(64 * 2 ** 20);
  expect(advice).toContain(`more than the ${room} MB that a tab can count on`);
  device.destroy();
});

it('a run keeps fewer activations, down to none, where the default does not fit', async () => {
  const policy = { ...micro.policy, layers: 4 };
  const experiment = parseExperiment({ ...micro, policy, algorithm: { name: 'ppo', critic: 'separate', ...shared } });
  const device = await WasmDevice.open({ threads: 1 });
  const assembly = new Assembly({ machine: { open: async () => device }, openWorld });
  const roomy = await assembly.plan(experiment);
  device.memoryBytes = roomy.total - 1;
  const { fits, total } = await assembly.plan(experiment);
  expect(fits).toBe(true);
  expect(total).toBeLessThan(roomy.total);
  const before = device.bytesAllocated;
  const engine = await assembly.open(experiment, opening);
  const host = (await engine.report()).memory.find(({ name }) => name === 'host')!;
  expect(device.bytesAllocated - before + host.bytes).toBe(total);
  await engine.close();
  device.destroy();
});

it.each<[string, object, { [part: string]: number }]>([
  ['grpo', {}, {}],
  ['ppo', { critic: 'head' }, { host: 0 }],
  ['ppo', { critic: 'shared' }, { host: 0 }],
  ['ppo', { critic: 'separate' }, { host: 0, critic: 1 }],
  // Log-probability, entropy and value, four bytes each; KTO also forwards each episode with another's reply.
  ['dpo', {}, { host: 12 * rows }],
  ['kto', {}, { host: 12 * 2 * rows }],
  ['bapo', { minibatches: 2 }, { host: 6 * rows }],
])('%s %j', async (name, settings, expected) => {
  const experiment = parseExperiment({ ...micro, algorithm: { name, ...shared, ...settings } });
  const device = await WasmDevice.open({ threads: 1 });
  const assembly = new Assembly({ machine: { open: async () => device }, openWorld });
  const { parts, total } = await assembly.plan(experiment);
  const bytes = (part: string) => parts.find((each) => each.name === part)?.bytes ?? 0;
  const before = device.bytesAllocated;
  const engine = await assembly.open(experiment, opening);
  expect(device.bytesAllocated - before + bytes('host')).toBe(total);
  expect((await engine.report()).memory).toEqual(parts);
  await engine.close();
  device.destroy();
  // Hidden states of a batch, for a value head.
  const scored = Math.min(4096, shared.groups * (micro.sampling.promptTokens + shared.groupSize * completionTokens));
  expect(bytes('host')).toBe('critic' in settings ? 4 * scored * hidden : (expected.host ?? 0));
  expect(bytes('critic') > 0).toBe('critic' in expected);
});
