/**
 * Answers of OpenAI-compatible servers, in the words that each of them sends: too long, too fast, a refused field,
 * nothing, a refusal, a tool call, a list of parts, reasoning. The texts are those of public reports and of the servers'
 * documentation.
 */
import { describe, expect, it } from 'vitest';
import { readAnswer, withoutReasoning } from '../../src/session/api/api-answer.ts';
import { ApiModel, ApiModelError } from '../../src/session/api/api-model.ts';
import type { OptionalField } from '../../src/session/api/fault-kinds.ts';
import { statedWaitMs } from '../../src/session/api/waits.ts';

const sent: OptionalField[] = ['temperature', 'max_tokens', 'seed'];
const read = (status: number, body: object | string, headers = {}) => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return readAnswer(new Response(status === 204 ? null : text, { status, headers }), text, sent);
};
const openai = (message: string, more = {}) => ({ error: { message, type: 'invalid_request_error', ...more } });
const older = (message: string) => ({ object: 'error', message, type: 'BadRequestError', param: null, code: 400 });
const detail = (type: string, field: string, msg: string) => ({
  detail: [{ type, loc: ['body', field], msg, input: 'the context length of my prompt is too long' }],
});
/** OpenRouter's error, with the headers of the provider. */
const gateway = (headers: object) => ({
  error: { message: 'Rate limit', code: 429, metadata: { headers } },
  user_id: 'u',
});
const choice = (message: object | null, finish_reason = 'stop', rest = {}) => ({
  choices: [{ index: 0, message, finish_reason, ...rest }],
});

describe('a conversation that is too long', () => {
  it.each([
    [400, openai("This model's maximum context length is 1000 tokens.", { code: 'context_length_exceeded' })],
    [400, openai('Your input exceeds the context window of this model.')],
    [
      400,
      openai(
        'You requested 256 output tokens and your prompt contains at least 745 input tokens: over the maximum context length.',
        { param: 'input_tokens', code: 400 },
      ),
    ],
    [
      400,
      older(
        "This model's maximum context length is 16384 tokens. However, you requested 19591 tokens (9591 in the messages, 10000 in the completion).",
      ),
    ],
    [
      400,
      older(
        "'max_tokens' or 'max_completion_tokens' is too large: 8000. This model's maximum context length is 4096 tokens and your request has 2778 input tokens (8000 > 4096 - 2778). None",
      ),
    ],
    [400, older('max_tokens must be at least 1, got -186.')],
    [
      400,
      older(
        'The decoder prompt (length 5000) is longer than the maximum model length of 4096. Make sure that `max_model_len` is no smaller.',
      ),
    ],
    [400, older("The input (61709 tokens) is longer than the model's context length (40960 tokens).")],
    [400, older('Input length (160062 tokens) exceeds the maximum allowed length (59862 tokens).')],
    [
      400,
      openai('request (1001 tokens) exceeds the available context size (1000 tokens), try increasing it', {
        code: 400,
        type: 'exceed_context_size_error',
        n_ctx: 1000,
      }),
    ],
    [500, openai('Context size has been exceeded.', { code: 500, type: 'server_error' })],
    [
      500,
      openai('input is too large to process. increase the physical batch size', { code: 500, type: 'server_error' }),
    ],
    [
      400,
      {
        error:
          'The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 13055>= n_ctx: 4096).',
      },
    ],
    [400, { error: 'Trying to keep the first 111490 tokens when context the overflows.' }],
    [400, { error: 'the input length exceeds the context length' }],
    [400, { error: { message: 'prompt too long; exceeded max context length by 12 tokens' } }],
    [
      422,
      {
        error:
          'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 1512. Given: 1000 `inputs` tokens and 1024 `max_new_tokens`',
        error_type: 'validation',
      },
    ],
    [
      422,
      {
        error: 'Input validation error: `inputs` must have less than 1024 tokens. Given: 1872',
        error_type: 'validation',
      },
    ],
    [
      400,
      {
        object: 'error',
        message:
          'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
        type: 'invalid_request_prompt',
        code: '3051',
      },
    ],
    [400, openai('prompt is too long: 210000 tokens > 200000 maximum')],
    [
      400,
      [
        {
          error: {
            code: 400,
            message: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
            status: 'INVALID_ARGUMENT',
          },
        },
      ],
    ],
    [400, openai('Your request exceeded model token limit: 8192')],
    [400, openai("This model's maximum prompt length is 131072 but the request contains 537812 tokens.")],
    [
      200,
      {
        error: {
          code: 400,
          message: "This endpoint's maximum context length is 32768 tokens. However, you requested about 40000 tokens.",
        },
      },
    ],
    [413, '<html><head><title>413 Request Entity Too Large</title></head></html>'],
    [
      413,
      openai('Request too large for model `m` on tokens per minute (TPM): Limit 6000, Requested 12000', {
        type: 'tokens',
        code: 'rate_limit_exceeded',
      }),
    ],
    [
      429,
      openai(
        'Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 50000. The input or output tokens must be reduced in order to run successfully.',
        { code: 'rate_limit_exceeded' },
      ),
    ],
  ])('%s %o', (status, body) => {
    expect(read(status, body).kind).toBe('no-room');
  });
});

describe('a server that asks for a pause', () => {
  it.each([
    [
      429,
      openai(
        'Rate limit reached for m on tokens per minute (TPM): Limit 15000, Used 11972, Requested 4351. Please try again in 5.289s.',
        { code: 'rate_limit_exceeded' },
      ),
      {},
      5289,
    ],
    [429, openai('slow down'), { 'retry-after': '7' }, 7000],
    [429, openai('slow down'), { 'retry-after-ms': '250', 'retry-after': '1' }, 250],
    [
      429,
      openai('slow down'),
      {
        'x-ratelimit-remaining-tokens': '0',
        'x-ratelimit-reset-tokens': '1m2.5s',
        'x-ratelimit-remaining-requests': '9',
        'x-ratelimit-reset-requests': '1h',
      },
      62_500,
    ],
    [429, [{ error: { code: 429, status: 'RESOURCE_EXHAUSTED', details: [{ retryDelay: '39s' }] } }], {}, 39_000],
    // Gemini's words are the same at the limit of a minute, and proxies quote its JSON.
    [
      429,
      {
        error: {
          code: 429,
          message: 'You exceeded your current quota, please check your plan and billing details.',
          status: 'RESOURCE_EXHAUSTED',
          details: [{ retryDelay: '17s' }],
        },
      },
      {},
      17_000,
    ],
    [
      429,
      { error: { message: JSON.stringify({ error: { details: [{ retryDelay: '17s' }] } }), code: 429 } },
      {},
      17_000,
    ],
    [429, { error: { message: 'Provider returned error', metadata: { retry_after_seconds: 4 } } }, {}, 4000],
    [429, gateway({ 'Retry-After': '3' }), {}, 3000],
    [200, gateway({ 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': '9' }), {}, 9000],
    [429, gateway({ 'X-RateLimit-Remaining': '2', 'X-RateLimit-Reset': '9' }), {}, null],
    [429, gateway({ 'not a header': 'x', 'Retry-After': 'ü' }), {}, null],
    [200, { ...choice({ content: null }), error: { message: 'Provider returned error', code: 429 } }, {}, null],
    [200, { code: 1302, msg: 'rate limit reached' }, {}, null],
    [200, choice('Action: look' as unknown as object), {}, null],
    [503, '<html><title>503 Service Unavailable</title></html>', { 'retry-after': '2' }, 2000],
    [529, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }, {}, null],
    [200, { id: 'gen', error: { message: 'Provider returned error', code: 429 }, user_id: 'u' }, {}, null],
    [200, { id: 'gen', choices: [], usage: null }, {}, null],
    [200, choice({ role: 'assistant', content: '' }, 'error', { error: { code: 502, message: 'upstream' } }), {}, null],
    [200, choice({ role: 'assistant', content: 'I was' }, 'abort'), {}, null],
    [200, '<html><title>Just a moment</title></html>', {}, null],
    [200, '', {}, null],
    [204, '', {}, null],
    [400, openai('try later'), { 'x-should-retry': 'true' }, null],
  ])('%s %o %o', (status, body, headers, afterMs) => {
    expect(read(status, body, headers)).toMatchObject({ kind: 'later', afterMs });
  });

  it('as the time of a reset in the body', () => {
    const body = JSON.stringify(gateway({ 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': '1741305600000' }));
    expect(statedWaitMs(new Headers(), body, 1741305555000)).toBe(45_000);
  });

  it('as a date', () => {
    const now = Date.parse('2026-01-01T00:00:00Z');
    const wait = (value: string) => statedWaitMs(new Headers({ 'retry-after': value }), '', now);
    expect(wait('Thu, 01 Jan 2026 00:00:03 GMT')).toBe(3000);
    expect(wait('Wed, 31 Dec 2025 23:00:00 GMT')).toBe(0);
    expect(wait('soon')).toBeNull();
  });

  it('twice, by a proxy and its server', () => {
    const wait = (value: string) => statedWaitMs(new Headers({ 'retry-after': value }), '');
    // As a date, "1, 1" would be a day of 2001.
    expect(wait('1, 1')).toBe(1000);
    expect(wait('30, 60')).toBe(60_000);
  });

  it.each([
    ['2 minutes', 120_000],
    ['1 hour', 3_600_000],
    ['20 milliseconds', 20],
    ['59 seconds', 59_000],
  ])('in words: %s', (words, ms) => {
    expect(statedWaitMs(new Headers(), `{"error": "Please try again in ${words}."}`)).toBe(ms);
  });
});

describe('a refused field', () => {
  const unsupported = { value: false };
  it.each([
    [
      400,
      openai(
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        { param: 'max_tokens', code: 'unsupported_parameter' },
      ),
      ['max_tokens'],
      unsupported,
    ],
    [
      400,
      openai(
        "Unsupported value: 'temperature' does not support 0.5 with this model. Only the default (1) value is supported.",
        { param: 'temperature', code: 'unsupported_value' },
      ),
      ['temperature'],
      unsupported,
    ],
    [400, openai('Unrecognized request argument supplied: seed', { param: null }), ['seed'], unsupported],
    [400, openai("property 'seed' is unsupported"), ['seed'], unsupported],
    [
      400,
      { message: 'Unsupported parameter(s): `seed`, `temperature`', type: 'Bad Request', code: 400 },
      ['temperature', 'seed'],
      unsupported,
    ],
    [422, detail('extra_forbidden', 'seed', 'Extra inputs are not permitted'), ['seed'], unsupported],
    [
      422,
      { object: 'error', message: detail('extra_forbidden', 'seed', 'Extra inputs are not permitted'), code: null },
      ['seed'],
      unsupported,
    ],
    [
      422,
      {
        object: 'error',
        message: JSON.stringify(detail('extra_forbidden', 'seed', 'Extra inputs are not permitted')),
        code: '1000',
      },
      ['seed'],
      unsupported,
    ],
    [
      400,
      [{ error: { code: 400, message: 'Invalid JSON payload received. Unknown name "seed": Cannot find field.' } }],
      ['seed'],
      unsupported,
    ],
    [400, { error: 'json: unknown field "seed"' }, ['seed'], unsupported],
    [500, { error: "generate() got an unexpected keyword argument 'seed'" }, ['seed'], unsupported],
    [
      422,
      detail('less_than_equal', 'temperature', 'Input should be less than or equal to 1.5'),
      ['temperature'],
      { value: true },
    ],
    [
      422,
      { error: 'Input validation error: `temperature` must be strictly positive', error_type: 'validation' },
      ['temperature'],
      { value: true },
    ],
    [
      400,
      openai(
        'max_tokens is too large: 100000. This model supports at most 16384 completion tokens, whereas you provided 100000.',
        { param: 'max_tokens', code: 'invalid_value' },
      ),
      ['max_tokens'],
      { value: true },
    ],
  ])('%s %o', (status, body, fields, more) => {
    expect(read(status, body)).toMatchObject({ kind: 'refused', fields, ...more });
  });
});

describe('a lasting failure', () => {
  it.each([
    [401, openai('Incorrect API key provided', { code: 'invalid_api_key' }), /key/],
    [402, openai('Insufficient credits'), /credit/],
    [404, openai('The model `m` does not exist', { code: 'model_not_found' }), /address and the model/],
    [429, openai('You exceeded your current quota, please check your plan.', { code: 'insufficient_quota' }), /credit/],
    [400, openai("Invalid value for 'messages[0].role'", { param: 'messages[0].role' }), /Check/],
    [400, detail('value_error', 'messages', 'Field required'), /Check/],
    // As RunPod, resellers and MiniMax answer, and other interfaces.
    [200, { code: 404, message: 'The model `m` does not exist.', object: 'error' }, /address and the model/],
    [200, { success: false, message: 'invalid token', code: 401 }, /key/],
    [200, { base_resp: { status_code: 1008, status_msg: 'insufficient balance' } }, /credit/],
    [200, [{ generated_text: 'hi' }], /endpoint/],
    [200, { model: 'm', response: 'hi', done: true }, /endpoint/],
    [200, { output: { message: {} }, stopReason: 'end_turn' }, /endpoint/],
  ])('%s %o', (status, body, remedy) => {
    expect(read(status, body)).toMatchObject({ kind: 'failed', remedy: expect.stringMatching(remedy) });
  });
});

describe('a reply', () => {
  const act = 'Action:\nlook';
  it.each([
    ['a text', choice({ content: act }), act, null],
    [
      'a list of parts',
      choice({
        content: [
          { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
          { type: 'text', text: act },
        ],
      }),
      act,
      null,
    ],
    ['texts in a list', choice({ content: [{ type: 'output_text', text: 'Action:\n' }, 'look'] }), act, null],
    ['an empty finish_reason', choice({ content: act }, ''), act, null],
    ['reasoning beside it', choice({ content: act, reasoning_content: 'hm', reasoning: 'hm' }), act, null],
    [
      'reasoning alone, cut off',
      choice({ content: null, reasoning_content: 'hm', tool_calls: [] }, 'length'),
      '',
      'length',
    ],
    ['reasoning alone', choice({ content: null, reasoning: 'hm' }), '', 'reasoning'],
    ['a refusal', choice({ content: null, refusal: 'I cannot help.' }), '', 'refusal'],
    ['a tool call', choice({ content: null, tool_calls: [{ id: 'a', type: 'function' }] }, 'tool_calls'), '', 'tool'],
    ['a filtered reply', choice({ content: null }, 'content_filter'), '', 'filter'],
    ['no content', choice({ role: 'assistant' }), '', 'none'],
    ["Gemini's limit", choice({ role: 'assistant' }, 'MAX_TOKENS'), '', 'length'],
    ["Mistral's limit", choice({ content: '' }, 'model_length'), '', 'length'],
    ["Gemini's filter", choice({ role: 'assistant' }, 'RECITATION'), '', 'filter'],
  ] as const)('%s', (_, body, text, empty) => {
    expect(read(200, body)).toMatchObject({ kind: 'reply', text, empty });
  });

  it.each([
    [
      400,
      openai("The response was filtered due to the prompt triggering Azure OpenAI's content management policy.", {
        code: 'content_filter',
        param: 'prompt',
      }),
    ],
    [403, { error: { code: 403, message: 'openai/m requires moderation. Your input was flagged for "violence".' } }],
  ])('none, where a filter refuses the prompt: %s %o', (status, body) => {
    expect(read(status, body)).toEqual({ kind: 'reply', text: '', calls: [], empty: 'filter' });
  });

  it('is what follows the reasoning', () => {
    expect(withoutReasoning(`<think>\nAction:\nget 5 diamond\n</think>\n\n${act}`)).toBe(act);
    expect(withoutReasoning(`I wonder.\n</think>\n\n${act}`)).toBe(act);
    expect(withoutReasoning(`[THINK]no[/THINK]${act}`)).toBe(act);
    expect(withoutReasoning(`<reasoning>no</reasoning>\n${act}`)).toBe(act);
    const cohere = `<|START_THINKING|>no<|END_THINKING|><|START_RESPONSE|>${act}<|END_RESPONSE|>`;
    expect(withoutReasoning(cohere)).toBe(act);
    expect(withoutReasoning('<think>\nand then the limit')).toBe('');
    // Models think again after a reply (github.com/raullenchai/Rapid-MLX/pull/722), or repeat the closing mark.
    expect(withoutReasoning(`<think>one</think>${act}<think>and then the limit`)).toBe(act);
    expect(withoutReasoning('<think>one</think><think>and then the limit')).toBe('');
    expect(withoutReasoning(`<think>one</think>no<think>two</think>${act}`)).toBe(act);
    expect(withoutReasoning(`I wonder.</think>${act}</think>\n`)).toBe(act);
    expect(withoutReasoning(`I write </think> here.\n</think>\n${act}`)).toBe(act);
    for (const plain of [act, 'I say <think>.', 'a <think>b</think> c', ''])
      expect(withoutReasoning(plain)).toBe(plain);
  });
});

describe('the client', () => {
  const { signal } = new AbortController();
  const asking = { temperature: 0.5, maxTokens: 9, seed: 3, signal };
  const messages = [{ role: 'user' as const, content: 'hello' }];
  const good = () => Response.json(choice({ content: 'hi' }));

  /** A server that answers each request by a function of its body. */
  function modelOf(answer: (body: { [field: string]: unknown }) => Response, options = {}) {
    const bodies: { [field: string]: unknown }[] = [];
    const notices: string[] = [];
    const fetch = (async (_: string, { body }: RequestInit) => {
      bodies.push(JSON.parse(body as string));
      return answer(bodies.at(-1)!);
    }) as unknown as typeof globalThis.fetch;
    const model = new ApiModel({ address: 'http://x/v1', model: 'm', key: () => 'k3y', retryMs: 1, fetch, ...options });
    const reply = (all: { role: 'user' | 'assistant'; content: string }[] = messages) =>
      model.reply(all, { ...asking, onNotice: (words) => notices.push(words) });
    return { model, reply, bodies, notices };
  }

  it('leaves a refused field out of this and all later requests, and reports it once', async () => {
    const { reply, bodies, notices } = modelOf((body) => {
      for (const field of ['max_tokens', 'temperature', 'seed'])
        if (field in body)
          return Response.json(openai(`Unsupported parameter: ${field}`, { param: field }), { status: 400 });
      return good();
    });
    expect(await Promise.all([reply(), reply()])).toEqual(['hi', 'hi']);
    expect(await reply()).toBe('hi');
    expect(bodies.at(-1)).toEqual({ model: 'm', messages, max_completion_tokens: 9 });
    expect(notices.map((words) => words.split(' (')[0])).toEqual([
      'm refuses max_tokens',
      'm refuses temperature',
      'm refuses seed',
    ]);
  });

  it('names a refused value', async () => {
    const { reply, bodies } = modelOf(() =>
      Response.json(detail('less_than', 'temperature', 'must be less than 0.5'), { status: 422 }),
    );
    await expect(reply()).rejects.toThrow(/must be less than 0.5.*refuses temperature = 0.5: choose another value/);
    expect(bodies).toHaveLength(1);
  });

  it('sends words for an empty reply to a server that refuses empty messages', async () => {
    const isEmpty = (body: { [field: string]: unknown }) =>
      (body.messages as typeof messages).some(({ content }) => !content);
    const { reply, bodies, notices } = modelOf((body) =>
      isEmpty(body)
        ? Response.json(older('Assistant message must have either content or tool_calls, but not none.'), {
            status: 400,
          })
        : good(),
    );
    expect(await reply([...messages, { role: 'assistant', content: '' }, ...messages])).toBe('hi');
    expect(bodies.at(-1)!.messages).toMatchObject([{}, { content: '(no reply)' }, {}]);
    expect(notices).toHaveLength(1);
  });

  it('sends those words also where several requests are refused at once', async () => {
    const { reply, notices } = modelOf((body) =>
      (body.messages as typeof messages).some(({ content }) => !content)
        ? Response.json(older('Assistant message must not be empty.'), { status: 400 })
        : good(),
    );
    const empty = [...messages, { role: 'assistant', content: '' }, ...messages] as typeof messages;
    expect(await Promise.all([reply(empty), reply(empty), reply(empty)])).toEqual(['hi', 'hi', 'hi']);
    expect(notices).toHaveLength(1);
  });

  it('waits as asked, without counting it as a failed attempt, and not for longer than it may', async () => {
    let limits = 7;
    const limited = () => Response.json(openai('slow down'), { status: 429, headers: { 'retry-after-ms': '1' } });
    const { reply, bodies } = modelOf(() => (limits-- > 0 ? limited() : good()));
    expect(await reply()).toBe('hi');
    expect(bodies).toHaveLength(8);
    const day = () => Response.json(openai('daily limit, k3y'), { status: 429, headers: { 'retry-after': '86400' } });
    const error = await modelOf(day)
      .reply()
      .catch((reason) => reason);
    expect(error.message).toMatch(/asks for a pause of 86400 s/);
    expect(error.message).not.toContain('k3y');
  });

  it('counts replies without text, and stops where no reply has any', async () => {
    let k = 0;
    const some = modelOf(() => (k++ % 2 ? good() : Response.json(choice({ content: null }, 'length'))));
    for (let turn = 0; turn < 40; turn++) await some.reply();
    expect(some.model.silence()).toMatch(/^20 of 40 replies of m had no text: 20 cut off/);
    const silent = modelOf(() => Response.json(choice({ content: null, refusal: 'no' })));
    const all = async () => {
      for (let turn = 0; turn < 40; turn++) await silent.reply();
    };
    await expect(all()).rejects.toThrow(ApiModelError);
    expect(silent.bodies).toHaveLength(32);
  });
});
