// A small random language model on the engine: its template, free decoding on TextCraft, one GRPO step, one step of
// imitation. A run of a real model takes the same path.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildWasm } from '../../scripts/build-wasm.mjs';
import type { World } from '../../src/envs/env.ts';
import { parseConfig } from '../../src/policy/config.ts';
import { defaultChoices } from '../../src/policy/engine/kernel-choices.ts';
import { Model } from '../../src/policy/engine/model.ts';
import { syntheticTokenizer } from '../../src/policy/text/synthetic-tokenizer.ts';
import { Tokenizer, type TokenizerJson } from '../../src/policy/text/tokenizer.ts';
import { initWeights } from '../../src/policy/weights/init.ts';
import type { SettingsOf } from '../../src/rl/algorithms/registry.ts';
import { conversationOf } from '../../src/rl/episode/conversation-files.ts';
import { demonstrate } from '../../src/rl/episode/demonstrations.ts';
import { chosenPositions } from '../../src/rl/episode/micro-batch.ts';
import { TokenSource, type Trajectory } from '../../src/rl/episode/trajectory.ts';
import { Trainer } from '../../src/rl/trainer.ts';
import { openWorld, worldModule } from '../../src/worlds/registry.ts';
import { useDevice } from '../device/open.ts';
import { hasWorlds } from '../worlds.ts';
import { settings } from './setup.ts';

const open = useDevice();
const made = syntheticTokenizer('qwen2.5', 2100);
const tokenizer = new Tokenizer(made.tokenizer as TokenizerJson, made.config);
const config = parseConfig({
  model_type: 'qwen2',
  vocab_size: 2112,
  hidden_size: 32,
  intermediate_size: 64,
  num_hidden_layers: 2,
  num_attention_heads: 2,
  num_key_value_heads: 1,
  tie_word_embeddings: true,
  eos_token_id: made.eosTokens,
});
const most = 8;
const webTask = {
  name: 'web',
  weight: 1,
  options: { templates: ['map-open-town'], screenLines: 12, judge: 'step' },
};

let model: Model;
let world: World;
const others = new Map<string, World>();

beforeAll(async () => {
  await buildWasm();
  world = await openWorld('textcraft');
  for (const name of ['search', 'web']) if (hasWorlds(name)) others.set(name, await openWorld(name));
});
afterAll(() => Promise.all([world, ...others.values()].map((each) => each.close())));

async function trainerOf(change: Parameters<typeof settings>[0] = {}) {
  const base = settings();
  const capacity = {
    rows: 4,
    groups: 4,
    promptTokens: 1280,
    completionTokens: 192,
    batchTokens: 2560,
    batchScored: 512,
  };
  model = await Model.create(await open(), config, {
    capacity,
    choices: defaultChoices,
    weights: initWeights(config, { seed: 3, std: 0.3 }),
    trainable: true,
    reference: false,
  });
  const conversation = await conversationOf(tokenizer, { tokenizerConfig: made.config, eosTokens: config.eosTokens });
  const trainer = await Trainer.create(
    {
      ...base,
      worlds: [{ name: 'textcraft', weight: 1, options: { depths: [1], distractors: 0 } }],
      algorithm: {
        ...(base.algorithm as SettingsOf<'grpo'>),
        groups: 2,
        groupSize: 2,
        minibatches: 1,
        innerEpochs: 1,
        kl: { estimator: 'k3', coefficient: 0 },
      },
      horizon: [{ steps: 1, turns: 2 }],
      sampling: { temperature: 1, maskActions: false, maxTokensPerTurn: most },
      ...change,
    },
    { policy: model, worlds: new Map([['textcraft', world], ...others]), tokenizer, conversation },
  );
  return { trainer, conversation, base };
}

describe('a language model without a mask', () => {
  it('plays by its template, and is trained on its own replies', async () => {
    const { trainer, conversation } = await trainerOf();
    const { record, trajectories } = await trainer.step(1);
    model.destroy();
    expect(trajectories).toHaveLength(4);
    for (const trajectory of trajectories) checkTurns(trajectory, conversation, world);
    expect(record.metrics.chosenTokens).toBe(trajectories.reduce((sum, t) => sum + chosenPositions(t).length, 0));
    // In f32 the two passes differ only by the order of their sums (docs/conversation.md); the WebAssembly device
    // always adds in the same order.
    if ((await open()).sharesMemory) expect(record.metrics.logprobGapMax).toBe(0);
    else expect(record.metrics.logprobGapMax).toBeGreaterThan(0);
    expect(record.metrics.logprobGapMax).toBeLessThan(1e-4);
    expect(record.metrics.logprobGap).toBeLessThanOrEqual(record.metrics.logprobGapMax);
    // A random model never produces a valid action.
    expect(record.metrics.validActions).toBe(0);
    expect(record.metrics.success).toBe(0);
  });

  it.skipIf(!hasWorlds('search'))('plays Search by its template, with its whole reply as the action', async () => {
    const worlds = [{ name: 'search', weight: 1, options: { hops: [1] } }];
    const { trainer, conversation } = await trainerOf({ worlds });
    const { trajectories } = await trainer.step(1);
    model.destroy();
    expect(trajectories).toHaveLength(4);
    for (const trajectory of trajectories) checkTurns(trajectory, conversation, others.get('search')!);
  });

  it.skipIf(!hasWorlds('web'))(
    'plays the web by its template, and gets an error for a reply without backticks',
    async () => {
      const { trainer, conversation } = await trainerOf({ worlds: [webTask] });
      const { trajectories } = await trainer.step(1);
      model.destroy();
      expect(trajectories).toHaveLength(4);
      for (const trajectory of trajectories) {
        checkTurns(trajectory, conversation, others.get('web')!);
        expect(trajectory.prompt).toMatch(/^OBSERVATION:\nTab 0 \(current\): .*\nPREVIOUS ACTION: None$/s);
        for (const { observation, reply, valid } of trajectory.turns) {
          expect(valid).toBe(false);
          expect(observation).toBe(`Cannot parse action from response ${reply}`);
        }
      }
    },
  );

  it.skipIf(!hasWorlds('web'))(
    'learns the actions of the web’s oracle as replies that the web’s own rule reads',
    async () => {
      const { trainer } = await trainerOf({ worlds: [webTask] });
      const { demonstrations, tokens } = await trainer.imitate(1, { episodes: 2, learningRate: 0.01 });
      model.destroy();
      expect(demonstrations).toBe(2);
      expect(tokens).toBeGreaterThan(20);
    },
  );

  it('learns the oracle’s thoughts in its replies, if the world’s own rule still finds the action', async () => {
    const conversation = await conversationOf(tokenizer, { tokenizerConfig: made.config, eosTokens: config.eosTokens });
    const tasks = (await world.tasks({ depths: [2], distractors: 3 }, 'train')).slice(0, 6);
    const room = { promptTokens: 4096, completionTokens: 8192 };
    const parts = { worlds: new Map([['textcraft', world]]), conversation };
    const plain = await demonstrate(parts, tasks, { maskActions: false, ...room });
    const aloud = await demonstrate(parts, tasks, { maskActions: false, ...room, teaching: { turns: 30 } });
    expect([plain.skipped, aloud.skipped]).toEqual([0, 0]);
    const { reply: rule, instruction } = worldModule('textcraft');
    for (const { turns, tokens } of aloud.trajectories) {
      expect(turns[0].thought).toBeUndefined();
      for (const { reply, action, valid, actionStart, actionEnd } of turns) {
        expect(valid).toBe(true);
        expect(reply).toMatch(/^Thought:\n\S[^\n]*\n\nAction:\n[^\n]+$/);
        expect(rule!(reply!)).toEqual({ action });
        expect(conversation.replyText(tokens.subarray(actionStart, actionEnd))).toBe(reply);
      }
      expect(turns[0].reply).toContain(' craft ');
    }
    // The reply form that the instruction requires.
    expect(instruction).toContain('Thought:\nyour thoughts.\n\nAction:\nyour next action');
    for (const { turns } of plain.trajectories) for (const { reply } of turns) expect(reply).toMatch(/^Action:\n/);
  });

  function checkTurns(trajectory: Trajectory, conversation: Awaited<ReturnType<typeof conversationOf>>, played: World) {
    const { tokens, source, turns, prompt, promptLength, choices } = trajectory;
    expect(choices).toBeNull();
    const { instruction } = played.describe();
    expect(tokens.subarray(0, promptLength)).toEqual(conversation.prompt(prompt, instruction).tokens);
    const text = tokenizer.exactText(tokens.subarray(0, promptLength), { special: true });
    expect(text).toMatch(/^<\|im_start\|>system\n.*<\|im_end\|>\n<\|im_start\|>assistant\n$/s);
    for (const { actionStart, actionEnd, reply, observation, observationStart, observationEnd } of turns) {
      const generated = tokens
        .subarray(actionStart, actionEnd)
        .filter((_, i) => source[actionStart + i] === TokenSource.policy);
      expect(generated.length).toBeGreaterThan(0);
      expect(generated.length).toBeLessThanOrEqual(most);
      expect(tokens[actionEnd - 1]).toBe(conversation.endOfTurn);
      expect(conversation.replyText(generated)).toBe(reply);
      if (observationEnd > observationStart) {
        expect(tokens.subarray(observationStart, observationEnd)).toEqual(conversation.observation(observation).tokens);
      }
    }
  }

  it('learns the oracle’s replies by imitation', async () => {
    const { trainer } = await trainerOf();
    const nats: number[] = [];
    for (let k = 1; k <= 4; k++) nats.push((await trainer.imitate(1, { episodes: 2, learningRate: 0.01 })).nats);
    model.destroy();
    expect(nats[3]).toBeLessThan(nats[0] - 0.5);
  });
});
