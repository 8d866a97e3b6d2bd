/**
 * Questions over a retriever as AgentGym's SearchQA server: the world Search with a source of its own. So a page that trained on made
 * universes trains on a real corpus, by the address of this part.
 */
import { readFileSync } from 'node:fs';
import type { Feedback, Split, Task, World, WorldDescription, WorldOptions, WorldView } from '../../src/envs/env.ts';
import { mentionsIn } from '../../src/worlds/search/corpus/mentions.ts';
import { readQuestions } from '../../src/worlds/search/corpus/records.ts';
import { search } from '../../src/worlds/search/index.ts';
import type { Retriever } from '../../src/worlds/search/retrieval/retriever.ts';
import type { Source, SourceQuestion } from '../../src/worlds/search/source.ts';
import { onceEach } from '../../src/worlds/search/universe/prose.ts';
import { Search } from '../../src/worlds/search/world.ts';
import { ConfigError } from '../config.ts';

/** Throws `ConfigError` where a file holds no question. */
export function readQuestionFile(file: string): SourceQuestion[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(`retrieval.questions: ${file} cannot be read: ${(error as Error).message}`);
  }
  const { questions } = readQuestions(text);
  if (!questions.length) throw new ConfigError(`retrieval.questions: ${file} holds no question with an answer.`);
  return questions;
}

function sourceOf(retriever: Retriever, questions: readonly SourceQuestion[]): Source {
  return {
    // Episodes come and go; the retriever stays with the proxy.
    retriever: { retrieve: (...asked) => retriever.retrieve(...asked), close: async () => {} },
    question: (number) => questions[number],
    namedBy: ({ text }) => mentionsIn(text),
    mentionsOf: ({ title, text }) =>
      onceEach([{ text: title.trim(), named: true }, ...mentionsIn(text)].filter((each) => each.text)),
  };
}

/** Search, with these questions as its tasks: an item is a question's place in the file. */
export class QuestionWorld implements World {
  private readonly world: Search;

  constructor(
    retriever: Retriever,
    private readonly questions: readonly SourceQuestion[],
  ) {
    const source = sourceOf(retriever, questions);
    this.world = new Search(async () => source);
  }

  describe(): WorldDescription {
    return search;
  }

  /** One list, in the file's order; a server has no splits. */
  async tasks(options: WorldOptions, split: Split): Promise<Task[]> {
    if (split === 'test') return [];
    return this.questions.map((_, id) => ({ world: search.name, id, options: this.served(options), strata: {} }));
  }

  /** One universe, whose questions are the file's. */
  private served(options: WorldOptions): WorldOptions {
    return { ...options, corpus: 'served' };
  }

  reset(slots: readonly number[], tasks: readonly Task[], signal?: AbortSignal): Promise<Feedback[]> {
    return this.world.reset(slots, tasks, signal);
  }

  step(slots: readonly number[], actions: readonly string[], signal?: AbortSignal): Promise<Feedback[]> {
    return this.world.step(slots, actions, signal);
  }

  async oracle(slots: readonly number[]): Promise<null[]> {
    return slots.map(() => null);
  }

  view(slot: number): Promise<WorldView> {
    return this.world.view(slot);
  }

  close(): Promise<void> {
    return this.world.close();
  }
}
