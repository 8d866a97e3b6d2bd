// Every field of a chat request is supported, has no effect, or is refused by name; max_tokens bounds every reply.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Actor, GeneratedTurn } from '../../src/policy/policy.ts';
import { buildTokenizer } from '../../src/policy/text/tokenizer.ts';
import { Conversation } from '../../src/rl/episode/conversation.ts';
import type { ChatModel } from '../../src/server/openai/chat-model.ts';
import type { Server } from '../../src/server/server.ts';
import { Completer } from '../../src/session/completion.ts';
import { post, startServer } from './helpers.ts';

const echo: ChatModel = {
  id: 'echo',
  created: 1,
  mostReplies: 2,
  complete: async () => ({ replies: [{ text: 'x', ending: 'stop' }], promptTokens: 1, completionTokens: 1 }),
};
const body = { model: 'echo', messages: [{ role: 'user', content: 'hello' }] };

let server: Server;
beforeEach(async () => {
  server = await startServer(['textcraft'], { models: [echo] });
});
afterEach(() => server.close());
const ask = (fields: object) => post(server, '/v1/chat/completions', { ...body, ...fields });

/** Values that change the answer, from vLLM's and OpenAI's own descriptions. */
const changing: readonly [name: string, value: unknown][] = [
  ['structured_outputs', { choice: ['inventory'] }],
  ['guided_json', { type: 'object' }],
  ['guided_regex', '[0-9]+'],
  ['guided_grammar', "root ::= 'a'"],
  ['guided_decoding_backend', 'outlines'],
  ['repetition_penalty', 1.5],
  ['length_penalty', 2],
  ['top_p', 0.9],
  ['top_k', 5],
  ['min_p', 0.5],
  ['typical_p', 0.1],
  ['bad_words', ['get']],
  ['allowed_token_ids', [1]],
  ['stop_token_ids', [1]],
  ['min_tokens', 10],
  ['ignore_eos', true],
  ['best_of', 3],
  ['use_beam_search', true],
  ['include_stop_str_in_output', true],
  ['skip_special_tokens', false],
  ['echo', true],
  ['add_generation_prompt', false],
  ['continue_final_message', true],
  ['chat_template', '{{x}}'],
  ['chat_template_kwargs', { enable_thinking: true }],
  ['truncate_prompt_tokens', 5],
  ['documents', [{ text: 'x' }]],
  ['reasoning_effort', 'high'],
  ['thinking_token_budget', 5],
  ['tools', [{ type: 'function', function: { name: 'f' } }]],
  ['tool_choice', 'required'],
  ['functions', [{ name: 'f' }]],
  ['function_call', { name: 'f' }],
  ['response_format', { type: 'json_object' }],
  ['logit_bias', { 1: 5 }],
  ['logprobs', true],
  ['prompt_logprobs', 1],
  ['return_token_ids', true],
  ['priority', 1],
  ['prediction', { type: 'content', content: 'x' }],
  ['web_search_options', {}],
  ['mirostat', 2],
  ['n_probs', 1],
  ['grammar', 'root ::= "a"'],
  ['a_field_of_nobody', 1],
];

/** Defaults of clients, and fields that only identify the client. */
const harmless: readonly [name: string, value: unknown][] = [
  ['repetition_penalty', 1],
  ['length_penalty', 1],
  ['top_p', 1],
  ['top_k', -1],
  ['min_p', 0],
  ['best_of', 1],
  ['use_beam_search', false],
  ['echo', false],
  ['add_generation_prompt', true],
  ['continue_final_message', false],
  ['skip_special_tokens', true],
  ['min_tokens', 0],
  ['bad_words', []],
  ['stop_token_ids', []],
  ['tools', []],
  ['tool_choice', 'auto'],
  ['response_format', { type: 'text' }],
  ['logit_bias', {}],
  ['logprobs', false],
  ['chat_template_kwargs', {}],
  ['priority', 0],
  ['user', 'whoever'],
  ['metadata', { run: '1' }],
  ['store', false],
  ['parallel_tool_calls', true],
  ['stream_options', { include_usage: true, include_obfuscation: false }],
];

describe('a field of the request', () => {
  it.each(changing)('%s is refused by name', async (name, value) => {
    expect(await ask({ [name]: value })).toMatchObject({
      status: 400,
      json: { error: { param: name, code: 'unsupported_parameter', message: expect.stringContaining(`"${name}"`) } },
    });
    // Null is absent.
    expect((await ask({ [name]: null })).status).toBe(200);
  });
  it.each(harmless)('%s with the value %j has no effect', async (name, value) => {
    expect((await ask({ [name]: value })).status).toBe(200);
  });
  it('of a message is refused as well', async () => {
    const call = { role: 'assistant', content: 'x', tool_calls: [{ id: 'a', type: 'function' }] };
    const messages = [{ role: 'user', content: 'a' }, call, { role: 'user', content: 'b' }];
    expect(await ask({ messages })).toMatchObject({ status: 400, json: { error: { param: 'messages.1.tool_calls' } } });
    const echoed = { role: 'assistant', content: 'x', refusal: null, tool_calls: [], annotations: [], name: 'me' };
    expect((await ask({ messages: [messages[0], echoed, messages[2]] })).status).toBe(200);
  });
});

describe('max_tokens', () => {
  const tokenizer = buildTokenizer(['get 1 acacia logs', 'inventory']);
  const conversation = new Conversation(tokenizer);

  /** Chooses the second of the offered texts, with its tokens decoded to the end. */
  const policy = {
    capacity: { rows: 2, promptTokens: 64, completionTokens: 64 },
    admit: async () => {},
    release: () => {},
    generate: async (rows: readonly unknown[]): Promise<GeneratedTurn[]> =>
      rows.map(() => ({ tokens: new Int32Array(9), logprobs: new Float32Array(9), leaf: 1, ending: 'leaf' })),
  } as unknown as Actor;
  const complete = (maxTokens: number, choices = ['inventory', 'get 1 acacia logs']) =>
    new Completer({ policy, conversation }).complete({
      ...{ messages: [{ role: 'user', content: 'x' }], n: 1, temperature: 1, stop: [], seed: 1 },
      ...{ maxTokens, choices },
    });

  it.each([
    [1, 'get', 'length', 1],
    [3, 'get 1 acacia', 'length', 3],
    // The token that ends the turn does not fit.
    [4, 'get 1 acacia logs', 'length', 4],
    [5, 'get 1 acacia logs', 'stop', 5],
    [60, 'get 1 acacia logs', 'stop', 5],
  ])('%d cuts a choice to %j', async (most, text, ending, completionTokens) => {
    expect(await complete(most)).toMatchObject({ replies: [{ text, ending }], completionTokens });
  });
  it('cuts the only choice too', async () => {
    const one = await complete(2, ['get 1 acacia logs']);
    expect(one).toMatchObject({ replies: [{ text: 'get 1', ending: 'length' }], completionTokens: 2 });
  });
});
