/**
 * Sources of documents, by the kind that the configuration names. To add one, write a schema in `config.ts` and an
 * entry here.
 */

import type { Retriever } from '../../src/corpus/retrieval/retriever.ts';
import { SearchR1Retriever } from '../../src/corpus/retrieval/search-r1.ts';
import { CorpusStore } from '../../src/corpus/store.ts';
import { FolderDisk } from '../../src/corpus/store-folder.ts';
import { ConfigError, type SourceConfig } from '../config.ts';

export interface OpenedSource {
  retriever: Retriever;
  notes: string[];
  /** Anything missing, as sentences that the page's Connect dialog shows. */
  missing: string[];
}

async function openCorpus({ name, folder }: Extract<SourceConfig, { kind: 'corpus' }>): Promise<OpenedSource> {
  const store = new CorpusStore(new FolderDisk(folder));
  const kept = (await store.list()).find((each) => each.name === name);
  if (!kept)
    throw new ConfigError(
      `There is no corpus "${name}" in ${folder}: build it with npm run proxy -- index FILE --name ${name}.`,
    );
  const corpus = await store.open(name);
  const retriever: Retriever = {
    retrieve: async (queries, k) => corpus.retrieve(queries, k),
    close: () => store.release(),
  };
  const missing = kept.complete ? [] : ['its index is incomplete: the same npm run proxy -- index resumes it'];
  return { retriever, notes: [`${kept.documents} documents of "${name}"`, ...missing], missing };
}

const openers: { [K in SourceConfig['kind']]: (source: Extract<SourceConfig, { kind: K }>) => Promise<OpenedSource> } =
  {
    corpus: openCorpus,
    'search-r1': async ({ address }) => ({
      retriever: new SearchR1Retriever(address),
      notes: ['requests go to a Search-R1 retriever'],
      missing: [],
    }),
    opensearch: async (source) => {
      const { OpenSearchRetriever } = await import('./opensearch.ts');
      return {
        retriever: new OpenSearchRetriever(source),
        notes: [`requests go to the index "${source.index}" of a search server`],
        missing: [],
      };
    },
  };

export const openSource = (source: SourceConfig): Promise<OpenedSource> =>
  (openers[source.kind] as (source: SourceConfig) => Promise<OpenedSource>)(source);
