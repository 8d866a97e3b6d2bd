/** A tiny policy's vocabulary contains every word of its world's texts, also in tasks that it was not made from. */
import { describe, expect, it } from 'vitest';
import type { World, WorldOptions } from '../../src/envs/env.ts';
import type { Experiment } from '../../src/experiment/experiment.ts';
import { buildTokenizer, type Tokenizer, wordsOf } from '../../src/policy/text/tokenizer.ts';
import { Tokenizers } from '../../src/session/text/tokenizers.ts';
import { textsOf } from '../../src/session/text/vocabulary.ts';
import { openWorld } from '../../src/worlds/registry.ts';
import { hasWorlds, rowsHere } from '../worlds.ts';

/** Words of the texts that are not tokens of their own (they would be spelt, or unknown). */
async function missingWords(
  world: World,
  tokenizer: Tokenizer,
  options: WorldOptions,
  every: number,
): Promise<string[]> {
  const missing = new Set<string>();
  const note = (text: string) => {
    for (const word of wordsOf(text)) if (!tokenizer.has(word)) missing.add(word);
  };
  const tasks = (await world.tasks(options, 'train')).filter((_, index) => index % every === 0);
  for (const task of tasks) {
    let [feedback] = await world.reset([0], [task]);
    for (let turn = 0; turn < 8 && !feedback.done; turn++) {
      note(feedback.observation);
      const actions = feedback.validActions ?? [];
      actions.forEach(note);
      if (actions.length === 0) break;
      [feedback] = await world.step([0], [actions[(turn * 7 + task.id) % actions.length]]);
    }
    note(feedback.observation);
  }
  return [...missing].sort();
}

const tokenizers = new Map<string, Promise<Tokenizer>>();
const worlds = new Map<string, Promise<World>>();

function once<T>(map: Map<string, Promise<T>>, key: string, make: () => Promise<T>): Promise<T> {
  const made = map.get(key) ?? make();
  map.set(key, made);
  return made;
}

const cases: [string, number, string, object, number][] = [
  ['no more than', 0, 'babyai', { levels: [1, 7, 16, 17, 20, 23, 26, 36, 38, 39], trainSeeds: 40 }, 3],
  ['no more than', 0, 'babyai', { levels: [2, 8, 21, 30, 33, 37], trainSeeds: 40, observation: 'compact' }, 3],
  ['no more than', 0, 'babyai', { levels: [7, 33, 36], trainSeeds: 40, observation: 'memory' }, 3],
  ['no more than', 0, 'babyai', { levels: [6, 33, 36], trainSeeds: 40, observation: 'frontier' }, 3],
  ['no more than', 0, 'maze', { size: 20, observation: 'compact' }, 50],
  ['no more than', 0, 'maze', { upstream: true }, 1],
  ['no more than', 0, 'wordle', { observation: 'compact', spelled: true }, 40],
  ['no more than', 0, 'wordle', { upstream: true, spelled: true }, 40],
  // A house has thousands of things: rare words are spelt from characters.
  ['no more than', 3, 'sciworld', { tasks: ['find-plant', 'find-non-living-thing'], simplifications: ['easy'] }, 23],
  ['no more than', 10, 'sciworld', {}, 61],
];
const casesHere = rowsHere(cases, 2);

describe.skipIf(!casesHere.length)('the number of words that are not tokens of their own is', () => {
  it.each(casesHere)('%s %i in %s %j', { timeout: 120_000 }, async (_, most, name, options, every) => {
    const world = await once(worlds, name, () => openWorld(name));
    const tokenizer = await once(tokenizers, name, async () => buildTokenizer(await textsOf(world)));
    const missing = await missingWords(world, tokenizer, options as WorldOptions, every);
    expect(missing.length, missing.join(' ')).toBeLessThanOrEqual(most);
    for (const word of missing) expect([...tokenizer.encode(word)]).not.toContain(tokenizer.id('[UNK]'));
  });
});

it('the names of things are tokens if the policy asks for them', async () => {
  const made = new Tokenizers(openWorld);
  const experiment = (wholeNames: boolean) =>
    ({
      worlds: ['textcraft', 'maze'].filter((name) => hasWorlds(name)).map((name) => ({ name })),
      sampling: { thoughts: 0 },
      policy: { kind: 'tiny', wholeNames },
    }) as unknown as Experiment;
  const [plain, names] = await Promise.all([false, true].map((whole) => made.of(experiment(whole), null)));
  expect(plain.has('oak planks')).toBe(false);
  expect(names.encode('craft 4 oak planks using 1 oak logs').length).toBe(6);
  expect(names.vocabSize - plain.vocabSize).toBeGreaterThan(500);
});

it.skipIf(!hasWorlds('agentgym-textcraft'))(
  'a world with the texts of another uses its vocabulary, without a request to a server',
  async () => {
    const opened: string[] = [];
    const tokenizers = new Tokenizers(async (name) => {
      opened.push(name);
      return openWorld(name);
    });
    const experimentOf = (name: string) =>
      ({ worlds: [{ name }], sampling: { thoughts: 0 }, policy: { kind: 'tiny' } }) as Experiment;
    const theirs = await tokenizers.of(experimentOf('agentgym-textcraft'), null);
    expect(await tokenizers.of(experimentOf('textcraft'), null)).toBe(theirs);
    expect(opened).toEqual(['textcraft']);
  },
);
