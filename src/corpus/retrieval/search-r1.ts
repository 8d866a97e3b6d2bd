/**
 * A Search-R1 retriever as a client (search_r1/search/retrieval_server.py, github.com/PeterGriffinJin/Search-R1, Apache-2.0): all queries
 * of a batch in one POST. Scores are always asked for: without them its server fails.
 */
import * as v from 'valibot';
import { AnswerError, type HttpOptions, JsonServer, serverAddress } from '../../envs/transport/http.ts';
import { type Document, type Retriever, readContents } from './retriever.ts';

const id = v.optional(
  v.pipe(
    v.union([v.string(), v.number()]),
    v.transform((value) => String(value)),
  ),
  '',
);
const contents = v.object({ id, contents: v.string('must be a text') }, 'must be a document');
/** With a score, or bare, as the variants that ask a web search engine answer. */
const found = v.union([
  v.object({ document: contents, score: v.optional(v.number('must be a number'), 0) }),
  v.pipe(
    contents,
    v.transform((document) => ({ document, score: 0 })),
  ),
]);
const answer = v.object({ result: v.array(v.array(found), 'must be a list of lists') });

function readAnswer(value: unknown, queries: number): v.InferOutput<typeof answer>['result'] {
  const read = v.safeParse(answer, value);
  if (!read.success) {
    const [issue] = read.issues;
    throw new AnswerError(
      `POST /retrieve was answered otherwise: ${v.getDotPath(issue) ?? 'it'} ${issue.message}`,
      200,
    );
  }
  const { result } = read.output;
  if (result.length !== queries)
    throw new AnswerError(`POST /retrieve was asked ${queries} queries and answered ${result.length}`, 200);
  return result;
}

export class SearchR1Retriever implements Retriever {
  private readonly server: JsonServer;

  /** `address`: of the server, with or without its `/retrieve`. */
  constructor(address: string, options: HttpOptions = {}) {
    this.server = new JsonServer(serverAddress(address).replace(/\/retrieve$/, ''), options);
  }

  async retrieve(queries: readonly string[], k: number, signal?: AbortSignal): Promise<Document[][]> {
    if (!queries.length || k < 1) return queries.map(() => []);
    const body = { queries, topk: k, return_scores: true };
    const result = readAnswer(await this.server.post('/retrieve', body, { signal, repeatable: true }), queries.length);
    // Some variants give more than they were asked for.
    return result.map((documents) =>
      documents.slice(0, k).map(({ document, score }) => readContents(document.id, document.contents, score)),
    );
  }

  async close(): Promise<void> {}
}
