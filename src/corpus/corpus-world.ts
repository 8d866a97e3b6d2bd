/** A world that plays given questions over any retriever. The proxy finds one in the registry and serves it. */
import type { World } from '../envs/env.ts';
import type { WorldModule } from '../envs/module.ts';
import type { SourceQuestion } from './question.ts';
import type { Retriever } from './retrieval/retriever.ts';

export interface CorpusWorld extends WorldModule {
  /** Opens the world with these questions as its training tasks, in their order. Closing the world leaves the retriever open. */
  openOver(retriever: Retriever, questions: readonly SourceQuestion[]): Promise<World>;
}

export const isCorpusWorld = (module: WorldModule): module is CorpusWorld => 'openOver' in module;
