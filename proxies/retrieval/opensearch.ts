/**
 * Retrieval from an OpenSearch or Elasticsearch index through OpenSearch's client library. The queries of a batch are
 * one `_msearch` request, whose answer has the same form on both servers.
 */
import { Client, errors } from '@opensearch-project/opensearch';
import * as v from 'valibot';
import { type Document, type Retriever, readContents } from '../../src/corpus/retrieval/retriever.ts';
import type { SourceConfig } from '../config.ts';

type Config = Extract<SourceConfig, { kind: 'opensearch' }>;

/** The search server cannot be reached, or its answer is malformed. The message never contains its address. */
export class SearchServerError extends Error {
  override name = 'SearchServerError';
}

const hit = v.object({
  _id: v.string(),
  _score: v.nullish(v.number(), 0),
  _source: v.optional(v.record(v.string(), v.unknown()), {}),
});
const response = v.union([
  v.object({ hits: v.object({ hits: v.array(hit) }) }),
  v.object({ error: v.object({ type: v.string(), reason: v.nullish(v.string(), '') }) }),
]);
const answer = v.object({ responses: v.array(response) });

const requestMs = 30_000;

/** Weight of the title, as in this project's own index. */
const titleWeight = 4;

const textOf = (value: unknown) =>
  typeof value === 'string' ? value : value === undefined || value === null ? '' : String(value);

function causeOf(error: unknown): string {
  if (error instanceof errors.ResponseError) return `status ${error.statusCode}`;
  if (error instanceof errors.TimeoutError) return `no answer within ${requestMs / 1000} s`;
  if (error instanceof errors.ConnectionError) return 'no connection';
  return (error as Error).name;
}

export class OpenSearchRetriever implements Retriever {
  private readonly client: Client;

  constructor(
    private readonly config: Config,
    options: ConstructorParameters<typeof Client>[0] = {},
  ) {
    const password = process.env[config.passwordFrom];
    const { address: node, username } = config;
    const auth = username && password ? { auth: { username, password } } : {};
    this.client = new Client({ node, requestTimeout: requestMs, maxRetries: 2, ...auth, ...options });
  }

  private query(text: string): object {
    const { contents, title } = this.config;
    const fields = title ? [`${title}^${titleWeight}`, contents] : [contents];
    return { multi_match: { query: text, fields } };
  }

  async retrieve(queries: readonly string[], k: number, signal?: AbortSignal): Promise<Document[][]> {
    if (!queries.length || k < 1) return queries.map(() => []);
    signal?.throwIfAborted();
    const { index } = this.config;
    const body = queries.flatMap((query) => [{ index }, { size: k, query: this.query(query) }]);
    let given: unknown;
    try {
      given = (await this.client.msearch({ body })).body;
    } catch (error) {
      throw new SearchServerError(`The request to the search server failed: ${causeOf(error)}.`);
    }
    const read = v.safeParse(answer, given);
    if (!read.success || read.output.responses.length !== queries.length)
      throw new SearchServerError(
        'The search server answered _msearch in an unexpected form: one result for each query was expected.',
      );
    return read.output.responses.map((each) => this.documentsOf(each));
  }

  private documentsOf(each: v.InferOutput<typeof response>): Document[] {
    if ('error' in each)
      throw new SearchServerError(`The search server refused a query: ${each.error.type}: ${each.error.reason}`);
    const { contents, title } = this.config;
    return each.hits.hits.map(({ _id, _score, _source }) =>
      title
        ? { id: _id, title: textOf(_source[title]), text: textOf(_source[contents]), score: _score ?? 0 }
        : readContents(_id, textOf(_source[contents]), _score ?? 0),
    );
  }

  async close(): Promise<void> {
    await this.client.close();
  }
}
