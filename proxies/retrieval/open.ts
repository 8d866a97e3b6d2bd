/** Retrieval as a part of the proxy. */
import type { ProxyConfig } from '../config.ts';
import type { Part } from '../part.ts';
import { mountRetrieval } from './routes.ts';
import { openSource } from './sources.ts';

const path = '/retrieval';

export async function openRetrieval(
  { retrieval }: ProxyConfig,
  { report }: { report(error: Error): void },
): Promise<Part[]> {
  if (!retrieval) return [];
  const { retriever, notes } = await openSource(retrieval.source);
  const parts = { retriever, topk: retrieval.topk, report };
  const part: Part = {
    path: `${path}/retrieve`,
    title: 'Retrieval',
    notes,
    mount: (app) => mountRetrieval(app, path, parts),
    close: () => retriever.close(),
  };
  return [part];
}
