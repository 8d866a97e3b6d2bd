/**
 * Serves Search-R1's `/retrieve` over any retriever. A request without `return_scores` behaves as on the original
 * server: it fails, except that with exactly two queries the first one is answered.
 */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { type Document, type Retriever, writeContents } from '../../src/corpus/retrieval/retriever.ts';
import { parseBody, Unreadable } from '../../src/server/agentgym/fields.ts';
import { type RetrieveRequest, readRetrieve } from './retrieve-request.ts';

const mostDocuments = 1000;
const mostQueries = 4096;

const bare = ({ id, title, text }: Document) => ({ id, contents: writeContents({ title, text }) });

export interface RetrievalParts {
  retriever: Retriever;
  topk: number;
  report(error: Error): void;
}

const failure = (reply: FastifyReply, status: number, text: string) =>
  reply.code(status).type('text/plain; charset=utf-8').send(text);

async function answer({ retriever, topk }: RetrievalParts, { queries, topk: asked, returnScores }: RetrieveRequest) {
  const k = Math.min(mostDocuments, Math.max(0, asked || topk));
  if (returnScores) {
    const found = await retriever.retrieve(queries, k);
    return { result: found.map((documents) => documents.map((each) => ({ document: bare(each), score: each.score }))) };
  }
  const [first] = await retriever.retrieve(queries.slice(0, 1), k);
  return { result: first.map(bare) };
}

/** `POST {prefix}/retrieve`. */
export function mountRetrieval(app: FastifyInstance, prefix: string, parts: RetrievalParts): void {
  app.post(`${prefix}/retrieve`, async (request, reply) => {
    try {
      const body = parseBody(request.body as Buffer | undefined, request.headers['content-type']);
      const asked = readRetrieve(body);
      if (asked.queries.length > mostQueries)
        return failure(
          reply,
          413,
          `A request may have at most ${mostQueries} queries (it has ${asked.queries.length}).`,
        );
      if (!asked.returnScores && asked.queries.length !== 2)
        return failure(
          reply,
          500,
          'Internal Server Error. Send "return_scores": true: without it Search-R1 fails too.',
        );
      return reply.type('application/json').send(JSON.stringify(await answer(parts, asked)));
    } catch (error) {
      if (error instanceof Unreadable) return reply.code(422).send({ detail: error.problems });
      parts.report(error as Error);
      return failure(reply, 500, `${(error as Error).name}: ${(error as Error).message}`);
    }
  });
  app.post(`${prefix}/retrieve/`, (request, reply) =>
    reply
      .code(307)
      .header('location', `${request.protocol}://${request.host}${request.originalUrl.replace(/\/$/, '')}`)
      .send(),
  );
}
