/**
 * Search with given questions and any retriever. The proxy serves it by AgentGym's SearchQA protocol, so that a policy
 * trained on made universes can continue with a real corpus.
 */

import type { SourceQuestion } from '../../corpus/question.ts';
import type { Retriever } from '../../corpus/retrieval/retriever.ts';
import type { Feedback, Split, Task, World, WorldDescription, WorldOptions, WorldView } from '../../envs/env.ts';
import { searchDescription } from './description.ts';
import { mentionsIn } from './mentions.ts';
import type { Source } from './source.ts';
import { onceEach } from './universe/prose.ts';
import { Search } from './world.ts';

function sourceOf(retriever: Retriever, questions: readonly SourceQuestion[]): Source {
  return {
    // The caller owns the retriever, so an episode does not close it.
    retriever: { retrieve: (...asked) => retriever.retrieve(...asked), close: async () => {} },
    question: (number) => questions[number],
    namedBy: ({ text }) => mentionsIn(text),
    mentionsOf: ({ title, text }) =>
      onceEach([{ text: title.trim(), named: true }, ...mentionsIn(text)].filter((each) => each.text)),
  };
}

/** Search with the given questions as tasks; the item of a task is the question's index in the file. */
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
    return searchDescription;
  }

  /** All questions in the file's order, as training tasks; a server has no splits. */
  async tasks(options: WorldOptions, split: Split): Promise<Task[]> {
    if (split === 'test') return [];
    return this.questions.map((_, id) => ({
      world: searchDescription.name,
      id,
      options: this.served(options),
      strata: {},
    }));
  }

  /** Options under which all questions belong to one source. */
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
