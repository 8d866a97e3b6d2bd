/**
 * Client of SQL: the World interface over made databases and a person's own. Handles tasks, slots and the databases
 * that are open; an episode's rules are in `episode.ts`.
 */
import { openDatabases } from '../../corpus/databases/open.ts';
import { buildImage, openEngine, ReadOnlyDatabase, type Result } from '../../corpus/databases/read-only.ts';
import type { DatabaseWithQuestions } from '../../corpus/databases/store.ts';
import {
  type Feedback,
  type Json,
  type Split,
  type Task,
  type World,
  type WorldDescription,
  WorldError,
  type WorldOptions,
} from '../../envs/env.ts';
import { chooseNamed } from '../../envs/named.ts';
import { mixSeeds, Random } from '../../envs/random.ts';
import { type CatalogueTable, catalogueOf } from './catalogue.ts';
import { type MadeDatabase, makeDatabase } from './data/database.ts';
import { themes } from './data/themes.ts';
import { sqlDescription } from './description.ts';
import { SqlEpisode } from './episode.ts';
import { OpenDatabases } from './open-databases.ts';
import { parseSqlOptions, type SqlOptions } from './options.ts';
import { OriginalSqlEpisode } from './original.ts';
import { drawQuestion, type Question, statementsFor } from './question.ts';
import type { SqlTask } from './task.ts';
import { templates } from './templates/index.ts';
import { functionTools } from './tools.ts';
import type { SqlView } from './view-data.ts';

/** Room for templates in a task's id: another template changes no other task. */
const templateRoom = 64;
/** First number of the held-out tasks of a template. */
const firstHeldOut = 500_000;
/** One in this many of a person's own questions is held out. */
const heldOutEvery = 5;
/** Databases that are tried for a template. */
const mostTried = 200;

type Engine = Awaited<ReturnType<typeof openEngine>>;
type Episode = SqlEpisode | OriginalSqlEpisode;

/** A made database that is open, or can be opened again. */
interface Made {
  name: string;
  schema: MadeDatabase['schema'];
  tables: CatalogueTable[];
  database(): ReadOnlyDatabase;
}

/** The world SQL; create it with `Sql.open()`. */
export class Sql implements World {
  private readonly episodes = new Map<number, Episode>();
  private readonly open = new OpenDatabases();
  /** A person's own databases that were read. */
  private readonly own = new Map<string, Promise<DatabaseWithQuestions>>();

  private constructor(private readonly engine: Engine) {}

  static async open(): Promise<Sql> {
    return new Sql(await openEngine());
  }

  describe(): WorldDescription {
    return sqlDescription;
  }

  async tasks(given: WorldOptions, split: Split): Promise<Task[]> {
    const options = parseSqlOptions(given);
    if (options.database) return this.ownTasks(options, split);
    namedThemes(options, split);
    const wanted = wantedTemplates(options, split);
    const [first, count] = split === 'train' ? [0, options.instances] : [firstHeldOut, options.testInstances];
    return Array.from({ length: count }, (_, k) => first + k).flatMap((number) =>
      wanted.map((index) => ({
        world: sqlDescription.name,
        id: number * templateRoom + index,
        options: options as unknown as WorldOptions,
        strata: { difficulty: templates[index].difficulty, kind: templates[index].kind },
      })),
    );
  }

  private async ownTasks(options: SqlOptions, split: Split): Promise<Task[]> {
    const { questions } = await this.readOwn(options.database);
    const found = questions.flatMap(({ difficulty }, id) =>
      (id % heldOutEvery === 0) === (split === 'test') ? [{ id, difficulty }] : [],
    );
    if (!found.length)
      throw new WorldError(
        `The database "${options.database}" has no ${split === 'test' ? 'held-out' : 'training'} questions: add questions to it. One in ${heldOutEvery} is held out.`,
      );
    return found.map(({ id, difficulty }) => ({
      world: sqlDescription.name,
      id,
      options: options as unknown as WorldOptions,
      strata: { difficulty: difficulty || 'none' },
    }));
  }

  async reset(slots: readonly number[], tasks: readonly Task[]): Promise<Feedback[]> {
    const opened = await Promise.all(tasks.map((task) => this.taskOf(task)));
    return slots.map((slot, k) => {
      const options = parseSqlOptions(tasks[k].options);
      const episode = options.upstream ? new OriginalSqlEpisode(opened[k]) : new SqlEpisode(opened[k], options);
      this.episodes.set(slot, episode);
      return episode.begin();
    });
  }

  private async taskOf({ id, options: given }: Task): Promise<SqlTask> {
    const options = parseSqlOptions(given);
    if (options.database) return this.ownTask(options.database, id);
    const [index, number] = [id % templateRoom, Math.floor(id / templateRoom)];
    if (!Number.isSafeInteger(id) || id < 0 || index >= templates.length || number >= 2 * firstHeldOut)
      throw new WorldError(
        `A task of SQL is ${templateRoom} × number + template, with a template from 0 to ${templates.length - 1} and a number below ${2 * firstHeldOut} (it is ${id}).`,
      );
    return this.madeTask(options, index, number);
  }

  private madeTask(options: SqlOptions, index: number, number: number): SqlTask {
    const { made, question } = this.drawTask(options, index, number);
    const listed = wantedTemplates(options, 'test').map((each) => templates[each]);
    const lists = new Map<string, string[]>();
    return {
      question: question.text,
      evidence: '',
      gold: question.gold,
      ordered: question.ordered,
      databaseName: made.name,
      tables: made.tables,
      database: made.database,
      goldResult: once(() => made.database().run(question.gold)),
      statements(known) {
        const key = [...known].sort().join(' ');
        const schema = { ...made.schema, tables: made.schema.tables.filter(({ name }) => known.has(name)) };
        if (!lists.has(key)) lists.set(key, statementsFor(listed, schema, question.text));
        return lists.get(key)!;
      },
    };
  }

  /** Question of a task. Databases are tried from the task's own on, until the template can ask about one. */
  private drawTask(options: SqlOptions, index: number, number: number): { made: Made; question: Question } {
    const heldOut = number >= firstHeldOut;
    const count = heldOut ? options.testDatabases : options.databases;
    const random = new Random(mixSeeds(options.seed, index, number));
    for (let k = 0; k < mostTried; k++) {
      // If the template can ask about none of the option's databases, further ones are made.
      const place = k < count ? (number + k) % count : k;
      const made = this.made(options, heldOut, place);
      const question = drawQuestion(random, templates[index], made.schema, made.database());
      if (question) return { made, question };
    }
    throw new WorldError(
      `No database of these options suits the template ${templates[index].name}: allow more tables, rows or themes.`,
    );
  }

  private made(options: SqlOptions, heldOut: boolean, place: number): Made {
    const { seed, tables, rows } = options;
    const names = namedThemes(options, heldOut ? 'test' : 'train');
    const plan = { seed: mixSeeds(seed, heldOut ? 1 : 0, place), tables, rows, themes: names, heldOut };
    const key = JSON.stringify(plan);
    const build = () => {
      const { schema, statements } = makeDatabase(plan);
      const database = ReadOnlyDatabase.open(this.engine, buildImage(this.engine, statements));
      return { database, schema, tables: catalogueOf(database) };
    };
    const { schema, tables: catalogue } = this.open.get(key, build);
    return { name: schema.theme, schema, tables: catalogue, database: () => this.open.get(key, build).database };
  }

  private readOwn(name: string): Promise<DatabaseWithQuestions> {
    const known = this.own.get(name) ?? openDatabases().then((store) => store.read(name));
    this.own.set(name, known);
    known.catch(() => this.own.delete(name));
    return known;
  }

  private async ownTask(name: string, id: number): Promise<SqlTask> {
    const { bytes, questions } = await this.readOwn(name);
    const question = questions.at(id);
    if (!question) throw new WorldError(`The database "${name}" has no question ${id}: it has ${questions.length}.`);
    const build = () => {
      const database = ReadOnlyDatabase.open(this.engine, bytes);
      return { database, schema: null, tables: catalogueOf(database) };
    };
    const key = `own ${name} ${bytes.length}`;
    const { tables } = this.open.get(key, build);
    const database = () => this.open.get(key, build).database;
    return {
      question: question.question,
      evidence: question.evidence,
      gold: question.sql,
      ordered: question.ordered,
      databaseName: name,
      tables,
      database,
      goldResult: once(() => database().run(question.sql)),
      statements: () => null,
    };
  }

  async step(slots: readonly number[], actions: readonly string[]): Promise<Feedback[]> {
    return slots.map((slot, k) => this.episode(slot).step(actions[k]));
  }

  async oracle(slots: readonly number[]): Promise<(string[] | null)[]> {
    return slots.map((slot) => this.episode(slot).plan());
  }

  async view(slot: number): Promise<SqlView> {
    return this.episode(slot).view();
  }

  /** For `tools`: the tools as OpenAI's `tools` list them. For `gold`: the statement that answers the question. */
  async inspect(slot: number, what: string): Promise<Json> {
    if (what === 'tools') return functionTools as unknown as Json;
    if (what === 'gold') return this.episode(slot).gold;
    throw new WorldError(`SQL cannot inspect "${what}": only "tools" and "gold".`);
  }

  async close(): Promise<void> {
    this.episodes.clear();
    this.open.close();
  }

  private episode(slot: number): Episode {
    const episode = this.episodes.get(slot);
    if (!episode) throw new WorldError(`Slot ${slot} of SQL has no episode: reset it first.`);
    return episode;
  }
}

function once(result: () => Result): () => Result {
  let known: Result | null = null;
  return () => {
    known ??= result();
    return known;
  };
}

/** Names of the themes of a split. */
const namedThemes = ({ themes: names, heldOutThemes }: SqlOptions, split: Split): string[] =>
  chooseNamed(themes, { names, withHeldOut: split === 'test' && heldOutThemes, world: 'SQL', what: 'theme' }).map(
    ({ name }) => name,
  );

/** Indices of the templates of a split. */
const wantedTemplates = ({ templates: names, heldOutTemplates }: SqlOptions, split: Split): number[] =>
  chooseNamed(templates, {
    names,
    withHeldOut: split === 'test' && heldOutTemplates,
    world: 'SQL',
    what: 'template',
  }).map((each) => templates.indexOf(each));
