import { deflateRaw, inflateRaw } from 'pako';
import { expect, it } from 'vitest';
import { chosenPositions } from '../../src/rl/episode/micro-batch.ts';
import { decodeTrajectories, encodeTrajectories } from '../../src/session/run/trajectory-codec.ts';
import { trajectory } from './fakes.ts';

/**
 * `trajectory()` twice as version 1 wrote them: with an advantage of 0.75, and with no choice and an advantage of -0.5.
 */
const version1 =
  '7VA9TsMwFHYpbSnlENGbPbSkgJSlA0MXJtQNOriJm0ZJ7Mh2WkSUm4F6gTJxgY7cAp6TQIWYYcLSk9//971vNp2NBm1CChBMKbkB' +
  'z6icU9hIFWjw7gowTMfgFTaTBOCB4Q/GV2xpgEKECZeCzEwkBbYXEPDMrOzgaF5S0EYxw77y4I1KzIZK5hl4QwopTxdcVW6mZJoZ' +
  '3H9td0cidHyZpkwE2rsXFZ4zcgKmYkey2NFRKJxc27bLQzZLmIg18qqX3XARWtAxEsl9n2vktWSJxvO4CHAW0VZSRY9S4MynVx2k' +
  'mJ/wWa7sUecUTO2hGsy3p+JgyC0hRMVRudBcrVlTmcpDZc0Sq5HVtJxTSBpGVxT8lYx8fis3NUIdzmTMLdBFSf+F/wPh8fzvwg/L' +
  'edkhXdIjJ6RPTsnTEcHXapH35tnw53Ndd/uy2z1b/xit21gPbYxF132d1J1vzb+f2L5OM29RrN8nA9JG2DOMfpHEftv8VfwB';

it('returns the trajectories bit for bit', () => {
  const list = [
    trajectory(),
    trajectory({ branch: { member: 3, turns: 1 } }),
    trajectory({ choices: null, turns: [], ending: 'world-failure', oracleTurns: null, advantage: -0 }),
    trajectory({
      logprob: Float32Array.from({ length: 7 }, (_, i) => Math.fround(-Math.PI * i)),
      prompt: 'ünï \u{1F600}',
    }),
  ];
  expect(decodeTrajectories(encodeTrajectories(list))).toEqual(list);
  expect(decodeTrajectories(encodeTrajectories([]))).toEqual([]);
});

it('leaves a teacher out, which is asked again where it is needed', () => {
  const taught = trajectory({ teacher: Float32Array.of(-1, Number.NaN) });
  expect(decodeTrajectories(encodeTrajectories([taught]))[0]).not.toHaveProperty('teacher');
});

it('keeps token ids that need more than two bytes', () => {
  const tokens = Int32Array.of(151_643, 1, 2, 3, 4, 5, 6);
  expect(decodeTrajectories(encodeTrajectories([trajectory({ tokens })]))[0].tokens).toEqual(tokens);
});

it('the encoding is much smaller than JSON', () => {
  const list = Array.from({ length: 64 }, (_, member) => trajectory({ member }));
  expect(encodeTrajectories(list).length).toBeLessThan(JSON.stringify(list).length / 10);
});

it('refuses truncated or foreign bytes', () => {
  const bytes = encodeTrajectories([trajectory()]);
  for (let cut = 0; cut < bytes.length; cut += 20)
    expect(() => decodeTrajectories(bytes.slice(0, cut))).toThrow(/stored trajectories|not trajectories/i);
  expect(() => decodeTrajectories(Uint8Array.of(3, 0))).toThrow(/end too early/);
});

it('reads or refuses by name whatever its numbers and texts were changed to', () => {
  const plain = inflateRaw(encodeTrajectories([trajectory(), trajectory({ choices: null })]));
  let refused = 0;
  for (let at = 0; at < plain.length; at += 3)
    for (const value of [0, 45, 57, 91, 255]) {
      const altered = plain.slice();
      altered[at] = value;
      try {
        decodeTrajectories(deflateRaw(altered, { level: 1 }));
      } catch (error) {
        expect((error as Error).name).toBe('TrajectoryCodecError');
        refused++;
      }
    }
  expect(refused).toBeGreaterThan(100);
});

it('reads version 1, which stored one advantage for all tokens of an episode', () => {
  const bytes = Uint8Array.from(atob(version1), (character) => character.charCodeAt(0));
  const [some, none] = decodeTrajectories(bytes);
  expect([some.advantage, none.advantage]).toEqual([0.75, -0.5]);
  expect([...some.advantages]).toEqual(new Array(chosenPositions(some).length).fill(0.75));
  expect([...none.advantages]).toEqual([]);
});

it.each([
  ['task', { task: null }],
  ['task.world', { task: {} }],
  ['task.strata', { task: { world: 'textcraft', id: 1, options: {}, strata: null } }],
  ['prompt', { prompt: 5 }],
  ['group', { group: -1 }],
  ['member', { member: 'x' }],
  ['ending', { ending: '__proto__' }],
  ['rewards.parts', { rewards: { total: 1, parts: null } }],
  ['oracleTurns', { oracleTurns: {} }],
  ['turns.0.reply', { turns: trajectory().turns.map((turn) => ({ ...turn, reply: {} })) }],
  ['turns.0', { turns: trajectory().turns.map((turn) => ({ ...turn, actionStart: -5 })) }],
  ['turns.0', { turns: trajectory().turns.map((turn) => ({ ...turn, observationEnd: 2e9 })) }],
  ['turnOf', { turnOf: trajectory().turnOf.map(() => 30_000) }],
  ['source', { source: trajectory().source.map(() => 255) }],
  ['promptLength', { promptLength: 1e9 }],
  [
    'choices.position',
    { choices: { ...trajectory().choices!, position: trajectory().choices!.position.map(() => 1e9) } },
  ],
  ['branch.member', { branch: { member: -1, turns: 1 } }],
  ['branch.turns', { branch: { member: 0, turns: 30_000 } }],
  ['choices.offsets', { choices: { ...trajectory().choices!, offsets: trajectory().choices!.offsets.map(() => 2e9) } }],
])('refuses an episode by its wrong "%s"', (field, changes) => {
  const forged = encodeTrajectories([trajectory(changes as never)]);
  expect(() => decodeTrajectories(forged)).toThrow(
    `The stored trajectories are damaged: an episode has a wrong value at "${field}".`,
  );
});
