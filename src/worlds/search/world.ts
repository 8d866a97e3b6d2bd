/**
 * Search: questions that take several searches to answer, about a universe made from a seed or a corpus that a person
 * added. Implements the World interface over sources (source.ts), rules (rules/) and retrievers; this file handles
 * tasks, batches and the sources that are open.
 */

import { openCorpora } from '../../corpus/open.ts';
import type { Document, Retriever } from '../../corpus/retrieval/retriever.ts';
import { SearchR1Retriever } from '../../corpus/retrieval/search-r1.ts';
import {
  type Advice,
  type Feedback,
  type Split,
  type Task,
  type World,
  type WorldDescription,
  WorldError,
  type WorldOptions,
  type WorldView,
} from '../../envs/env.ts';
import { type ConnectionSettings, withheldMessage } from '../../envs/module.ts';
import { mixSeeds, Random } from '../../envs/random.ts';
import { SharedParts } from '../../envs/shared-parts.ts';
import { ServerError } from '../../envs/transport/http.ts';
import { failed } from '../../envs/transport/pool.ts';
import { CorpusSource, heldOutEvery } from './corpus-source.ts';
import { searchDescription } from './description.ts';
import { Episode } from './episode.ts';
import { parseSearchOptions, type SearchOptions } from './options.ts';
import type { Act } from './rules/rules.ts';
import type { Source } from './source.ts';
import type { Mention } from './universe/prose.ts';
import { withoutWords } from './universe/questions.ts';
import { remainingSteps } from './universe/reader.ts';
import { UniverseSource } from './universe/source.ts';

/**
 * First held-out universe. Training universes have smaller numbers, so that the two never overlap, whatever the
 * options.
 */
export const firstTestUniverse = 1_000_000;

/** Maximum number of articles of all open universes together; a larger universe is open alone. */
const mostKeptArticles = 40_000;

/** The options that a source is opened by, and shared by: an option that changes its texts must be one of them. */
type SourceOptions = Pick<
  SearchOptions,
  'corpus' | 'retriever' | 'seed' | 'articles' | 'facts' | 'distractors' | 'hops' | 'wordings' | 'sameWording'
>;

/** Opens the source of a task. */
export type OpenSource = (options: SourceOptions, universe: number) => Promise<Source>;

const sizeOf = ({ articles, facts }: SourceOptions) => ({ articles, facts });

/** Retries of a search; three attempts fit into the world's own timeout. */
const retries = { attempts: 3, attemptMs: 12_000 };

/** Source whose questions come from a corpus and whose documents come from a server. */
async function openFromServer({ corpus }: SourceOptions, { address, withheld }: ConnectionSettings): Promise<Source> {
  if (withheld) throw new WorldError(withheldMessage(searchDescription.title));
  if (!address)
    throw new WorldError('The searches need a server, but its address is not set: enter it beside the world.');
  if (!corpus) throw new WorldError('A server has no documents of a made universe: choose a corpus for the questions.');
  return new CorpusSource(await openCorpora(), corpus, new SearchR1Retriever(address, retries));
}

async function openHere(options: SourceOptions, universe: number, settings: ConnectionSettings): Promise<Source> {
  if (options.retriever) return openFromServer(options, settings);
  if (options.corpus) return new CorpusSource(await openCorpora(), options.corpus);
  const heldOut = universe >= firstTestUniverse && !options.sameWording;
  const plan = {
    hops: options.hops,
    wording: heldOut ? ('test' as const) : options.wordings === 'few' ? ('train' as const) : options.wordings,
    distractors: options.distractors,
  };
  return new UniverseSource(mixSeeds(options.seed, universe), sizeOf(options), plan);
}

const placeOf = (id: number, questions: number) => ({
  universe: Math.floor(id / questions),
  number: id % questions,
});

/** Question as the agent reads it: of a made one for training some words may be left out. */
function askedOf(text: string, named: readonly Mention[], options: SearchOptions, id: number): string {
  const { corpus, omitted, questions, seed } = options;
  if (omitted === 0 || corpus || placeOf(id, questions).universe >= firstTestUniverse) return text;
  const names = named.map((mention) => mention.text);
  return withoutWords(text, names, omitted, new Random(mixSeeds(seed, 0x9e7, id)));
}

type Planned = Required<Advice>;
const actionOf = ({ action }: Planned) => action;

/** The world Search; create it with `Search.open()`. */
export class Search implements World {
  private readonly episodes = new Map<number, Episode>();
  /** Sources by their options; their size is a number of articles. */
  private readonly sources: SharedParts<Source>;

  constructor(
    private readonly openSource: OpenSource = (options, universe) => openHere(options, universe, {}),
    mostArticles = mostKeptArticles,
  ) {
    this.sources = new SharedParts(mostArticles, ({ retriever }) => retriever.close());
  }

  /** `settings`: address of the server used by the option `retriever`. */
  static async open(settings: ConnectionSettings = {}): Promise<Search> {
    return new Search((options, universe) => openHere(options, universe, settings));
  }

  describe(): WorldDescription {
    return searchDescription;
  }

  async tasks(options: WorldOptions, split: Split): Promise<Task[]> {
    const filled = parseSearchOptions(options);
    if (filled.corpus) return this.corpusTasks(filled, split);
    const first = split === 'train' ? 0 : firstTestUniverse;
    const count = split === 'train' ? filled.universes : filled.testUniverses;
    return Array.from({ length: count * filled.questions }, (_, k) => ({
      world: 'search',
      id: first * filled.questions + k,
      options: filled as WorldOptions,
      strata: { hops: filled.hops[(k % filled.questions) % filled.hops.length] },
    }));
  }

  /** Tasks of a corpus: one for each question, one in five of them held out. */
  private async corpusTasks(options: SearchOptions, split: Split): Promise<Task[]> {
    const count = await (await openCorpora()).questionCount(options.corpus);
    if (count === 0)
      throw new WorldError(
        `The corpus "${options.corpus}" has no questions yet: add some (Storage, or npm run corpus).`,
      );
    const isHeldOut = (id: number) => id % heldOutEvery === 0;
    return Array.from({ length: count }, (_, id) => id)
      .filter((id) => isHeldOut(id) === (split === 'test') || count === 1)
      .map((id) => ({ world: 'search', id, options: options as WorldOptions, strata: {} }));
  }

  /** Questions for what a made question needs after each of its hops but the last. */
  async subgoals(tasks: readonly Task[]): Promise<Task[][]> {
    return tasks.map((task) => {
      const options = parseSearchOptions(task.options);
      const hops = options.corpus || options.part ? 1 : Number(task.strata.hops ?? 1);
      return Array.from({ length: hops - 1 }, (_, i) => ({
        ...task,
        options: { ...options, part: i + 1 } as WorldOptions,
        strata: { ...task.strata, hops: i + 1 },
      }));
    });
  }

  async reset(slots: readonly number[], tasks: readonly Task[], signal?: AbortSignal): Promise<Feedback[]> {
    checkLengths('reset', slots, tasks);
    const begun = await this.sources.replace(this.episodes, slots, tasks, {
      begin: (task) => this.begin(task, signal),
      partOf: ({ source }) => source,
    });
    return begun.map((episode) => episode.begin());
  }

  private async begin({ id, options }: Task, signal?: AbortSignal): Promise<Episode> {
    signal?.throwIfAborted();
    if (!Number.isInteger(id) || id < 0)
      throw new WorldError(`Search's item ids must be whole numbers, 0 or more (it is ${id}).`);
    const filled = parseSearchOptions(options);
    const place = filled.corpus ? { universe: 0, number: id } : placeOf(id, filled.questions);
    const source = await this.sourceOf(filled, place.universe);
    try {
      const question = await source.question(place.number, filled.part);
      return new Episode(source, question, filled, askedOf(question.text, source.namedBy(question), filled, id));
    } catch (error) {
      this.sources.giveBack(source);
      throw error;
    }
  }

  /** Borrows the source of a task. The episodes of a group share a universe, and so do the tasks of an epoch. */
  private sourceOf(options: SearchOptions, universe: number): Promise<Source> {
    const { corpus, retriever, seed, articles, facts, distractors, hops, wordings, sameWording } = options;
    const read = { corpus, retriever, seed, articles, facts, distractors, hops, wordings, sameWording };
    const key = JSON.stringify([read, universe]);
    return this.sources.borrow(key, articles, () => this.openSource(read, universe));
  }

  async step(slots: readonly number[], actions: readonly string[], signal?: AbortSignal): Promise<Feedback[]> {
    checkLengths('step', slots, actions);
    const episodes = slots.map((slot) => this.episodeOf(slot));
    const acts = episodes.map((episode, b) => episode.read(actions[b]));
    const found = await this.findAll(episodes, acts, signal);
    return episodes.map((episode, b) => {
      const documents = found[b];
      return typeof documents === 'string' ? failed(documents) : episode.take(actions[b], acts[b], documents);
    });
  }

  /**
   * Executes the searches of a batch, with one call for those that share a source and a number of documents. A string
   * in the result is the error of a server.
   */
  private async findAll(
    episodes: readonly Episode[],
    acts: readonly Act[],
    signal?: AbortSignal,
  ): Promise<readonly (Document[] | string)[]> {
    const found: (Document[] | string)[] = episodes.map(() => []);
    const groups = new Map<Source, Map<number, number[]>>();
    for (const [b, act] of acts.entries()) {
      if (act.kind !== 'search') continue;
      const { source, options } = episodes[b];
      const lengths = groups.get(source) ?? new Map<number, number[]>();
      groups.set(source, lengths);
      lengths.set(options.documents, [...(lengths.get(options.documents) ?? []), b]);
    }
    for (const [{ retriever }, lengths] of groups)
      for (const [k, members] of lengths) {
        const queries = members.map((b) => (acts[b] as Act & { kind: 'search' }).query);
        const answers = await answersOf(retriever, queries, k, signal);
        for (const [i, b] of members.entries()) found[b] = typeof answers === 'string' ? answers : answers[i];
      }
    return found;
  }

  async oracle(slots: readonly number[]): Promise<(string[] | null)[]> {
    return Promise.all(slots.map(async (slot) => (await this.plan(this.episodeOf(slot)))?.map(actionOf) ?? null));
  }

  async advise(slots: readonly number[]): Promise<(Advice | null)[]> {
    return Promise.all(slots.map(async (slot) => (await this.plan(this.episodeOf(slot)))?.[0] ?? null));
  }

  private async plan({ isOver, question, shown, options, source, rules }: Episode): Promise<Planned[] | null> {
    if (isOver) return [];
    const { retriever } = source;
    const steps = await nullIfServerFails(
      remainingSteps({ question: question.text, shown, k: options.documents, retriever }),
    );
    return steps?.map(({ thought, ...step }) => ({ thought, action: rules.write(step) })) ?? null;
  }

  async view(slot: number): Promise<WorldView> {
    return this.episodeOf(slot).view();
  }

  async close(): Promise<void> {
    this.episodes.clear();
    await this.sources.closeAll();
  }

  private episodeOf(slot: number): Episode {
    const episode = this.episodes.get(slot);
    if (!episode) throw new WorldError(`World ${slot} has not begun: reset it with a task first.`);
    return episode;
  }
}

/**
 * Results of a retriever. If a server fails, returns the error as a string, so that only the episodes concerned fail.
 */
const answersOf = (retriever: Retriever, queries: readonly string[], k: number, signal?: AbortSignal) =>
  retriever.retrieve(queries, k, signal).catch((error: Error) => {
    if (!(error instanceof ServerError)) throw error;
    return `The search failed: ${error.message}.`;
  });

const nullIfServerFails = <T>(work: Promise<T>) =>
  work.catch((error: Error) => {
    if (!(error instanceof ServerError)) throw error;
    return null;
  });

function checkLengths(call: string, slots: readonly number[], others: readonly unknown[]): void {
  if (slots.length !== others.length)
    throw new WorldError(`${call} needs one entry a slot: ${slots.length} slots, ${others.length} entries.`);
}
