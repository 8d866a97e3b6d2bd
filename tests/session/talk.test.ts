// A conversation with a small random language model on the processor's device. A conversation that continues in the K/V
// cache gets the same replies as one that is read anew as a whole, a reply can be stopped, and old messages are left
// out.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WasmDevice } from '../../src/device/wasm/device.ts';
import { parseConfig } from '../../src/policy/config.ts';
import { Model } from '../../src/policy/engine/model.ts';
import type { Actor } from '../../src/policy/policy.ts';
import type { ChatMessage } from '../../src/policy/text/chat-template.ts';
import { syntheticTokenizer } from '../../src/policy/text/synthetic-tokenizer.ts';
import { Tokenizer, type TokenizerJson } from '../../src/policy/text/tokenizer.ts';
import { initWeights } from '../../src/policy/weights/init.ts';
import type { Conversation } from '../../src/rl/episode/conversation.ts';
import { conversationOf } from '../../src/rl/episode/conversation-files.ts';
import { PromptTooLong } from '../../src/session/completion.ts';
import { Talk } from '../../src/session/talk/talk.ts';
import type { TalkProgress } from '../../src/session/talk-protocol.ts';

const capacity = { rows: 1, groups: 1, promptTokens: 128, completionTokens: 64, batchTokens: 64, batchScored: 16 };
let model: Model;
let conversation: Conversation;

beforeAll(async () => {
  const made = syntheticTokenizer('smollm2', 2100);
  const tokenizer = new Tokenizer(made.tokenizer as TokenizerJson, made.config);
  conversation = await conversationOf(tokenizer, { tokenizerConfig: made.config });
  const config = parseConfig({
    ...{ model_type: 'llama', vocab_size: tokenizer.vocabSize, hidden_size: 32, intermediate_size: 64 },
    ...{ num_hidden_layers: 2, num_attention_heads: 2, num_key_value_heads: 1, tie_word_embeddings: true },
    ...{ hidden_act: 'silu', max_position_embeddings: 512, rms_norm_eps: 1e-5, rope_theta: 10_000 },
  });
  const weights = initWeights(config, { seed: 3, std: 0.3 });
  const device = await WasmDevice.open({ threads: 1 });
  model = await Model.create(device, config, { capacity, weights, trainable: false, reference: false });
});
afterAll(() => model.destroy());

const signal = new AbortController().signal;
const asked = (messages: readonly ChatMessage[], over = {}) => ({
  ...{ messages, temperature: 0, maxTokens: 12, seed: 1 },
  ...over,
});
const options = (onProgress: (progress: TalkProgress) => void = () => {}) => ({ signal, onProgress });
const user = (content: string): ChatMessage => ({ role: 'user', content });
const assistant = (content: string): ChatMessage => ({ role: 'assistant', content });

/** Tokens that were run through the model's layers. */
const readBy = (policy: Actor) => policy.counters().tokensPrefilled;

describe('a conversation', () => {
  test('that goes on in the cache gets the reply of one read as a whole, and reads each message only once', async () => {
    const run: number[] = [];
    const recording = Object.create(model, {
      admit: {
        value: (groups: Parameters<Actor['admit']>[0]) => {
          run.push(...groups[0].prompt);
          return model.admit(groups);
        },
      },
      generate: {
        value: async (...[rows, ...rest]: Parameters<Actor['generate']>) => {
          run.push(...rows[0].append);
          const turns = await model.generate(rows, ...rest);
          run.push(...(turns[0]?.tokens ?? []));
          return turns;
        },
      },
    }) as Actor;
    const talk = new Talk({ policy: recording, conversation });
    const first = await talk.reply(asked([user('get wood')]), options());
    const messages = [user('get wood'), assistant(first.text), user('make it')];
    const before = readBy(model);
    const second = await talk.reply(asked(messages), options());
    // Fewer tokens are run than for the first message, although the last ones of the first reply are among them.
    expect(readBy(model) - before).toBeLessThan(first.readTokens);
    expect(second.readTokens).toBeLessThan(first.readTokens);
    expect(second.leftOut).toBe(0);
    talk.forget();
    const prompt = Int32Array.from(run.slice(0, run.length - second.tokens));
    await model.admit([{ key: 0, prompt, slots: [0], rowKeys: [0] }]);
    const sampling = { temperature: 0, seed: 1, stream: 0, maxTokens: 12, stopTokens: conversation.stopTokens };
    const [turn] = await model.generate([{ slot: 0, append: new Int32Array(0), constraint: null }], sampling);
    model.release([0]);
    expect([...turn!.tokens]).toEqual(run.slice(run.length - second.tokens));
  });

  test('streams the reply, from its first token to its text', async () => {
    const talk = new Talk({ policy: model, conversation });
    const seen: TalkProgress[] = [];
    const reply = await talk.reply(
      asked([user('make wood')]),
      options((each) => seen.push(each)),
    );
    talk.forget();
    const texts = seen.flatMap((each) => (each.phase === 'replying' ? [each] : []));
    expect(seen[0].phase).toBe('reading');
    expect(texts[0].tokens).toBe(1);
    expect(reply.text.startsWith(texts.at(-1)!.text)).toBe(true);
    expect(reply.tokens).toBeLessThanOrEqual(12);
  });

  test('can be stopped: the text so far is the reply, and the next message is answered as ever', async () => {
    const talk = new Talk({ policy: model, conversation });
    const whole = await talk.reply(asked([user('get wood')]), options());
    talk.forget();
    const abort = new AbortController();
    const stopped = await talk.reply(asked([user('get wood')]), {
      signal: abort.signal,
      onProgress: (each) => each.phase === 'replying' && abort.abort(),
    });
    expect(stopped.ending).toBe('stopped');
    expect(whole.text.startsWith(stopped.text)).toBe(true);
    expect(stopped.tokens).toBe(1);
    const again = await talk.reply(asked([user('get wood')]), options());
    talk.forget();
    expect(again.text).toBe(whole.text);
  });

  test('leaves out its oldest exchanges when it is too long, and refuses one message that is too long', async () => {
    const talk = new Talk({ policy: model, conversation });
    const long = Array.from({ length: 8 }, () => [user('get wood and make it'), assistant('make wood')]).flat();
    const reply = await talk.reply(asked([...long, user('make it')]), options());
    expect(reply.leftOut).toBeGreaterThan(0);
    expect(reply.leftOut % 2).toBe(0);
    expect(reply.readTokens).toBeLessThanOrEqual(capacity.promptTokens);
    await expect(talk.reply(asked([user('wood '.repeat(200))]), options())).rejects.toThrow(PromptTooLong);
    talk.forget();
  });
});
