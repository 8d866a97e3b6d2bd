/**
 * OpenAI's chat completions over a policy (platform.openai.com/docs/api-reference/chat): the list of models,
 * completions whole or as server-sent events, errors in OpenAI's format.
 */
import { shown } from '../messages.ts';
import type { Answer, Handler, Request, Router } from '../router.ts';
import { type ChatModel, type ChatReply, type ChatRequest, ChatRequestError } from './chat-model.ts';
import { type ChatBody, readChatBody } from './request.ts';
import { QueueFull, Turns } from './turns.ts';

/** Status of an answer to a client that has left, as in nginx. */
const clientLeft = 499;

const json = (status: number, value: unknown): Answer => ({ status, json: value });

type Report = (error: unknown) => void;

function failureOf(error: unknown, report: Report): { status: number; json: unknown } {
  if (error instanceof ChatRequestError) {
    const { message, type, param, code, status } = error;
    return { status, json: { error: { message, type, param, code } } };
  }
  report(error);
  const shown = { message: 'The server failed on this request: see its log.', type: 'server_error' };
  return { status: 500, json: { error: { ...shown, param: null, code: null } } };
}

const describe = ({ id, created }: ChatModel) => ({ id, object: 'model', created, owned_by: 'tabgym' });

const usageOf = ({ promptTokens, completionTokens }: ChatReply) => ({
  prompt_tokens: promptTokens,
  completion_tokens: completionTokens,
  total_tokens: promptTokens + completionTokens,
});

/** Fields that are the same in every chunk of an answer. */
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

/** A reply during generation: a stream of pieces, each with the index of its reply, and a promise of the whole. */
class PendingReply {
  private readonly added: [reply: number, piece: string][] = [];
  private wake = () => {};
  private over = false;
  readonly reply: Promise<ChatReply>;

  constructor(make: (onPiece: (reply: number, piece: string) => void) => Promise<ChatReply>) {
    this.reply = make((...piece) => {
      this.added.push(piece);
      this.wake();
    }).finally(() => {
      this.over = true;
      this.wake();
    });
    // A failure surfaces where `reply` is awaited. After the client has disconnected nothing awaits it; this handler
    // keeps such a rejection from being reported as unhandled.
    this.reply.catch(() => {});
  }

  /** Resolves once the first piece has arrived; rejects if generation fails before. */
  async begun(): Promise<void> {
    await this.next();
    if (!this.added.length) await this.reply;
  }

  /** Waits for the next piece or the end. */
  private async next(): Promise<void> {
    if (!this.over && !this.added.length)
      await new Promise<void>((wake) => {
        this.wake = wake;
      });
  }

  async *pieces(): AsyncIterable<[reply: number, piece: string]> {
    for (;;) {
      await this.next();
      if (!this.added.length) return;
      yield* this.added.splice(0);
    }
  }
}

async function* events(model: ChatModel, pending: PendingReply, { n, includeUsage }: ChatBody): AsyncIterable<string> {
  const head = headOf(model, 'chat.completion.chunk');
  const usage = includeUsage ? { usage: null } : {};
  const event = (value: object) => `data: ${JSON.stringify({ ...head, ...usage, ...value })}\n\n`;
  const choice = (index: number, delta: object, finish_reason: string | null = null) =>
    event({ choices: [{ index, delta, logprobs: null, finish_reason }] });
  const sentLength = Array.from({ length: n }, () => 0);
  for (const index of sentLength.keys()) yield choice(index, { role: 'assistant', content: '' });
  for await (const [index, content] of pending.pieces()) {
    sentLength[index] += content.length;
    yield choice(index, { content });
  }
  const reply = await pending.reply;
  for (const [index, { text, ending }] of reply.replies.entries()) {
    if (text.length > sentLength[index]) yield choice(index, { content: text.slice(sentLength[index]) });
    yield choice(index, {}, ending);
  }
  if (includeUsage) yield event({ choices: [], usage: usageOf(reply) });
  yield 'data: [DONE]\n\n';
}

/** A failure after the status was sent becomes an event of the stream. */
async function* guarded(all: AsyncIterable<string>, report: Report): AsyncIterable<string> {
  try {
    yield* all;
  } catch (error) {
    yield `data: ${JSON.stringify(failureOf(error, report).json)}\n\n`;
  }
}

/** A model, and the turns of its clients. */
interface Served {
  model: ChatModel;
  turns: Turns;
}

function find(models: readonly Served[], name: string): Served {
  const served = models.find(({ model }) => model.id === name);
  if (served) return served;
  const known = models.length
    ? `available: ${models.map(({ model }) => model.id).join(', ')}`
    : 'no policy is served: start the server with --policy';
  throw new ChatRequestError(`The model ${shown(name)} does not exist: ${known}.`, 'model', 'model_not_found', 404);
}

/** Completes a request in its client's turn. */
const inTurn = ({ model, turns }: Served, client: readonly unknown[], request: ChatRequest): Promise<ChatReply> =>
  turns
    .during(client, request.signal, () => model.complete(request))
    .catch((error) => {
      if (!(error instanceof QueueFull)) throw error;
      throw new ChatRequestError(error.message, null, 'rate_limit_exceeded', 429, 'rate_limit_error');
    });

async function complete(models: readonly Served[], request: Request, report: Report): Promise<Answer> {
  const body = readChatBody(request.body);
  const served = find(models, body.model);
  const { model } = served;
  if (body.n > model.mostReplies)
    throw new ChatRequestError(
      `Invalid 'n': this policy returns at most ${model.mostReplies} replies.`,
      'n',
      'invalid_value',
    );
  const signal = request.disconnected();
  try {
    if (!body.stream) return whole(model, await inTurn(served, request.client, { ...body, signal }));
    const pending = new PendingReply((onPiece) => inTurn(served, request.client, { ...body, signal, onPiece }));
    // A failure before the first piece still gets its own HTTP status.
    await pending.begun();
    return { status: 200, events: guarded(events(model, pending, body), report) };
  } catch (error) {
    // The client has left, so nobody reads this answer, and the server has not failed.
    if (signal.aborted) return json(clientLeft, {});
    throw error;
  }
}

export function mountChat(router: Router, models: readonly ChatModel[], report: Report): void {
  const served = models.map((model) => ({ model, turns: new Turns() }));
  const answer: Handler = (request) =>
    complete(served, request, report).catch((error) => {
      const { status, json: body } = failureOf(error, report);
      return json(status, body);
    });
  router.add('POST', '/v1/chat/completions', answer);
  router.add('GET', '/v1/models', async () => json(200, { object: 'list', data: models.map(describe) }));
  for (const model of models) router.add('GET', `/v1/models/${model.id}`, async () => json(200, describe(model)));
}
