/**
 * Survey: questions with several criteria over the works of a made universe, or over a corpus that a person added and a
 * judge reads. Implements the World interface; this file handles tasks, slots and the libraries that are open.
 */
import { openCorpora } from '../../../corpus/open.ts';
import {
  type Feedback,
  type Split,
  type Task,
  type World,
  type WorldDescription,
  WorldError,
  type WorldOptions,
  type WorldView,
} from '../../../envs/env.ts';
import { type ConnectionSettings, withheldMessage } from '../../../envs/module.ts';
import { mixSeeds } from '../../../envs/random.ts';
import { SharedParts } from '../../../envs/shared-parts.ts';
import { ServerError } from '../../../envs/transport/http.ts';
import { failed } from '../../../envs/transport/pool.ts';
import { surveyDescription } from './description.ts';
import { readAct, SurveyEpisode } from './episode.ts';
import { isHeldOutCriteria, type Library, type LibraryPlan, UniverseLibrary } from './library.ts';
import { parseSurveyOptions, type SurveyOptions } from './options.ts';
import { remainingSteps } from './oracle.ts';
import { apiJudge } from './own/judge.ts';
import { CorpusLibrary } from './own/library.ts';

/** First held-out universe; training universes have smaller numbers. */
export const firstTestUniverse = 1_000_000;

/** Maximum number of articles of all open universes together. */
const mostKeptArticles = 40_000;

const planOf = (options: SurveyOptions, universe: number): LibraryPlan => ({
  articles: options.articles,
  distractors: options.distractors,
  criteria: options.criteria,
  wording: universe >= firstTestUniverse ? 'test' : 'train',
  // Alternates between universes too, so that an evaluation of every nth question has both kinds.
  heldOutCriteria: universe >= firstTestUniverse && options.heldOutCriteria ? universe % 2 : null,
});

async function openCorpus(options: SurveyOptions, { address, token, withheld }: ConnectionSettings): Promise<Library> {
  if (withheld) throw new WorldError(withheldMessage(surveyDescription.title));
  if (!address || !options.judge)
    throw new WorldError(
      'A corpus is judged by a model: enter its name as the option "judge", and the address of its server beside the world.',
    );
  return new CorpusLibrary(await openCorpora(), options, apiJudge({ address, token, model: options.judge }));
}

/** The world Survey; create it with `SurveyWorld.open()`. */
export class SurveyWorld implements World {
  private readonly episodes = new Map<number, SurveyEpisode>();
  /** Libraries by their options; their size is a number of articles. */
  private readonly libraries = new SharedParts<Library>(mostKeptArticles, (library) => library.close());

  constructor(private readonly settings: ConnectionSettings = {}) {}

  static async open(settings: ConnectionSettings = {}): Promise<SurveyWorld> {
    return new SurveyWorld(settings);
  }

  describe(): WorldDescription {
    return surveyDescription;
  }

  async tasks(given: WorldOptions, split: Split): Promise<Task[]> {
    const options = parseSurveyOptions(given);
    const { name: world } = surveyDescription;
    const shared = options as unknown as WorldOptions;
    if (options.corpus) {
      if (!options.surveys.length)
        throw new WorldError('A survey of a corpus needs questions: write them as the option "surveys".');
      return options.surveys.map((_, id) => ({ world, id, options: shared, strata: {} }));
    }
    const [first, count] = split === 'train' ? [0, options.universes] : [firstTestUniverse, options.testUniverses];
    return Array.from({ length: count * options.questions }, (_, k) => {
      const number = k % options.questions;
      const plan = planOf(options, first + Math.floor(k / options.questions));
      const strata = {
        criteria: options.criteria[number % options.criteria.length],
        ...(split === 'test' && {
          joined: isHeldOutCriteria(plan, number) ? 'as never in training' : 'as in training',
        }),
      };
      return { world, id: first * options.questions + k, options: shared, strata };
    });
  }

  async reset(slots: readonly number[], tasks: readonly Task[]): Promise<Feedback[]> {
    const begun = await this.libraries.replace(this.episodes, slots, tasks, {
      begin: (task) => this.begin(task),
      partOf: ({ library }) => library,
    });
    return begun.map((episode) => episode.begin());
  }

  private async begin({ id, options: given }: Task): Promise<SurveyEpisode> {
    if (!Number.isSafeInteger(id) || id < 0)
      throw new WorldError(`A task of the survey must be a whole number, 0 or more (it is ${id}).`);
    const options = parseSurveyOptions(given);
    const isMade = !options.corpus;
    const library = await this.libraryOf(options, isMade ? Math.floor(id / options.questions) : 0);
    try {
      const number = isMade ? id % options.questions : id;
      const survey = await library.survey(number);
      return new SurveyEpisode(library, number, survey, options, isMade ? await library.truth(number, []) : null);
    } catch (error) {
      this.libraries.giveBack(library);
      throw error;
    }
  }

  /** Borrows the library of a task. */
  private libraryOf(options: SurveyOptions, universe: number): Promise<Library> {
    const key = JSON.stringify(options.corpus ? options : [options.seed, universe, planOf(options, universe)]);
    return this.libraries.borrow(key, options.articles, () => this.openLibrary(options, universe));
  }

  private async openLibrary(options: SurveyOptions, universe: number): Promise<Library> {
    if (options.corpus) return openCorpus(options, this.settings);
    return new UniverseLibrary(mixSeeds(options.seed, universe, 0x5e), planOf(options, universe));
  }

  async step(slots: readonly number[], actions: readonly string[], signal?: AbortSignal): Promise<Feedback[]> {
    return Promise.all(slots.map((slot, k) => this.act(this.episode(slot), actions[k], signal)));
  }

  /** A failure of a server ends the episodes concerned only. */
  private async act(episode: SurveyEpisode, action: string, signal?: AbortSignal): Promise<Feedback> {
    const act = readAct(action);
    const { library, number, options } = episode;
    try {
      const found = act.kind === 'search' ? await library.find(act.query, signal) : [];
      const truths =
        act.kind === 'done' && options.corpus
          ? await library.truth(number, [...episode.listed, ...episode.opened.values()], signal)
          : undefined;
      return episode.take(act, found, truths);
    } catch (error) {
      if (!(error instanceof ServerError)) throw error;
      return failed(`The judge failed: ${error.message}.`);
    }
  }

  async oracle(slots: readonly number[], signal?: AbortSignal): Promise<(string[] | null)[]> {
    return Promise.all(
      slots.map((slot) => {
        const episode = this.episode(slot);
        return episode.options.corpus ? null : remainingSteps(episode, signal);
      }),
    );
  }

  async view(slot: number): Promise<WorldView> {
    return this.episode(slot).view();
  }

  async close(): Promise<void> {
    this.episodes.clear();
    await this.libraries.closeAll();
  }

  private episode(slot: number): SurveyEpisode {
    const episode = this.episodes.get(slot);
    if (!episode) throw new WorldError(`World ${slot} has not begun: reset it with a task first.`);
    return episode;
  }
}
