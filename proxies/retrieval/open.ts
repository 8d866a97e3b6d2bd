/** Opens retrieval as a part of the proxy. */
import type { ProxyConfig } from '../config.ts';
import type { Part } from '../part.ts';
import { readQuestionFile } from './question-file.ts';
import { mountRetrieval } from './routes.ts';
import { searchQaPart } from './searchqa.ts';
import { openSource } from './sources.ts';

const path = '/retrieval';

export async function openRetrieval(
  { retrieval }: ProxyConfig,
  { version, report }: { version: string; report(error: Error): void },
): Promise<Part[]> {
  if (!retrieval) return [];
  const { retriever, notes, missing } = await openSource(retrieval.source);
  const parts = { retriever, topk: retrieval.topk, report };
  const part: Part = {
    path: `${path}/retrieve`,
    title: 'Retrieval',
    notes,
    mount(app) {
      mountRetrieval(app, path, parts);
      const info = { title: "Retrieval behind Tabgym's proxy", version, 'x-missing': missing };
      app.get(`${path}/openapi.json`, async () => ({ openapi: '3.1.0', info, paths: { '/retrieve': {} } }));
    },
    close: () => retriever.close(),
  };
  if (!retrieval.questions) return [part];
  return [part, await searchQaPart(retriever, readQuestionFile(retrieval.questions), version, report)];
}
