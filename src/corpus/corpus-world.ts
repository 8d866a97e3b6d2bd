/** A world that plays given questions over any retriever. The proxy finds it in the registry and serves it. */
import type { World } from '../envs/env.ts';
import type { WorldModule } from '../envs/module.ts';
import type { SourceQuestion } from './question.ts';
import type { Retriever } from './retrieval/retriever.ts';

export interface CorpusWorld extends WorldModule {
  openOver(retriever: Retriever, questions: readonly SourceQuestion[]): Promise<World>;
}

export const isCorpusWorld = (module: WorldModule): module is CorpusWorld => 'openOver' in module;
