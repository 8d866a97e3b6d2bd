/**
 * OpenAI's chat completions over a policy (platform.openai.com/docs/api-reference/chat): models, completions, the same as server-sent
 * events, errors in its form. A streamed reply comes in one piece, when it is whole.
 */
import type { Answer, Handler, Request, Router } from '../router.ts';
import { type ChatModel, type ChatReply, ChatRequestError } from './chat-model.ts';
import { type ChatBody, readChatBody } from './request.ts';

/** Requests that may wait for the policy, which answers one after another. */
const mostWaiting = 256;

const json = (status: number, value: unknown): Answer => ({ status, json: value });

function failureOf(error: unknown, report: (error: unknown) => void): Answer {
  if (error instanceof ChatRequestError) {
    const { message, type, param, code, status } = error;
    return json(status, { error: { message, type, param, code } });
  }
  report(error);
  const told = { message: 'The server failed at this request: its log says why.', type: 'server_error' };
  return json(500, { error: { ...told, param: null, code: null } });
}

const describe = ({ id, created }: ChatModel) => ({ id, object: 'model', created, owned_by: 'tabgym' });

const usageOf = ({ promptTokens, completionTokens }: ChatReply) => ({
  prompt_tokens: promptTokens,
  completion_tokens: completionTokens,
  total_tokens: promptTokens + completionTokens,
});

/** The parts of an answer that are the same in each piece of it. */
const headOf = (model: ChatModel, object: string) => ({
  id: `chatcmpl-${crypto.randomUUID()}`,
  object,
  created: Math.floor(Date.now() / 1000),
  model: model.id,
});

function whole(model: ChatModel, reply: ChatReply): Answer {
  const choices = reply.replies.map(({ text, ending }, index) => ({
    index,
    message: { role: 'assistant', content: text, refusal: null },
    logprobs: null,
    finish_reason: ending,
  }));
  return json(200, { ...headOf(model, 'chat.completion'), choices, usage: usageOf(reply) });
}

async function* pieces(model: ChatModel, reply: ChatReply, { includeUsage }: ChatBody): AsyncIterable<string> {
  const head = headOf(model, 'chat.completion.chunk');
  const usage = includeUsage ? { usage: null } : {};
  const event = (value: object) => `data: ${JSON.stringify({ ...head, ...usage, ...value })}\n\n`;
  const choice = (index: number, delta: object, finish_reason: string | null = null) =>
    event({ choices: [{ index, delta, logprobs: null, finish_reason }] });
  for (const [index, { text, ending }] of reply.replies.entries()) {
    yield choice(index, { role: 'assistant', content: '' });
    if (text) yield choice(index, { content: text });
    yield choice(index, {}, ending);
  }
  if (includeUsage) yield event({ choices: [], usage: usageOf(reply) });
  yield 'data: [DONE]\n\n';
}

function find(models: readonly ChatModel[], name: string): ChatModel {
  const model = models.find(({ id }) => id === name);
  if (model) return model;
  const known = models.length
    ? `there is ${models.map(({ id }) => id).join(', ')}`
    : 'no policy is served: start the server with --policy';
  throw new ChatRequestError(`The model '${name}' does not exist: ${known}.`, 'model', 'model_not_found', 404);
}

async function complete(models: readonly ChatModel[], request: Request): Promise<Answer> {
  const body = readChatBody(request.body);
  const model = find(models, body.model);
  if (body.n > model.mostReplies)
    throw new ChatRequestError(
      `Invalid 'n': this policy gives at most ${model.mostReplies} replies.`,
      'n',
      'invalid_value',
    );
  if (model.load >= mostWaiting)
    throw new ChatRequestError(
      `${model.load} requests wait for this policy, the most that may: try again later.`,
      null,
      'rate_limit_exceeded',
      429,
      'rate_limit_error',
    );
  const reply = await model.complete({ ...body, signal: request.gone() });
  return body.stream ? { status: 200, events: pieces(model, reply, body) } : whole(model, reply);
}

export function mountChat(router: Router, models: readonly ChatModel[], report: (error: unknown) => void): void {
  const guarded =
    (handler: Handler): Handler =>
    (request) =>
      handler(request).catch((error) => failureOf(error, report));
  router.add(
    'POST',
    '/v1/chat/completions',
    guarded((request) => complete(models, request)),
  );
  router.add('GET', '/v1/models', async () => json(200, { object: 'list', data: models.map(describe) }));
  for (const model of models) router.add('GET', `/v1/models/${model.id}`, async () => json(200, describe(model)));
}
