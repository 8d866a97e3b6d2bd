/**
 * Client of a Search-R1 retriever (search_r1/search/retrieval_server.py, github.com/PeterGriffinJin/Search-R1,
 * Apache-2.0). All queries of a batch go into one POST. It always requests scores, because the server fails without
 * them.
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
/** A document with its score, or a bare document as in the variants that query a web search engine. */
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
      `POST /retrieve returned an unexpected answer: ${v.getDotPath(issue) ?? 'it'} ${issue.message}`,
      200,
    );
  }
  const { result } = read.output;
  if (result.length !== queries)
    throw new AnswerError(`POST /retrieve returned ${result.length} results for ${queries} queries`, 200);
  return result;
}

export class SearchR1Retriever implements Retriever {
  private readonly server: JsonServer;

  /** `address`: the server's address, with or without its path `/retrieve`. */
  constructor(address: string, options: HttpOptions = {}) {
    this.server = new JsonServer(serverAddress(address).replace(/\/retrieve$/, ''), options);
  }

  async retrieve(queries: readonly string[], k: number, signal?: AbortSignal): Promise<Document[][]> {
    if (!queries.length || k < 1) return queries.map(() => []);
    const body = { queries, topk: k, return_scores: true };
    const result = readAnswer(await this.server.post('/retrieve', body, { signal, repeatable: true }), queries.length);
    // Some variants return more documents than requested.
    return result.map((documents) =>
      documents.slice(0, k).map(({ document, score }) => readContents(document.id, document.contents, score)),
    );
  }

  async close(): Promise<void> {}
}
