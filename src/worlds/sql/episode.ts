/** An episode: the agent looks at the schema, queries, reads rows or an error, and answers. */

import { type Result, SqlError } from '../../corpus/databases/read-only.ts';
import type { Feedback } from '../../envs/env.ts';
import { CallError, commandOf, readCall, type SqlCall } from './call.ts';
import { type CatalogueTable, firstRows, namesTable } from './catalogue.ts';
import { sameRows } from './judge.ts';
import type { SqlOptions } from './options.ts';
import type { SqlTask } from './task.ts';
import { briefText, countOf, tableText } from './texts.ts';
import { type SqlView, type TurnSeen, viewOf } from './view-data.ts';

/** Rows of a table that its description shows. */
const exampleRows = 3;
/** Maximum number of turns that the view keeps. */
const mostTurnsSeen = 100;

/** Answer to a turn. */
interface Reply {
  text: string;
  /** Text for a person, if the policy's says less. */
  seen?: string;
  ok: boolean;
  result?: Result;
}

export class SqlEpisode {
  private readonly turns: TurnSeen[] = [];
  /** Tables whose columns the agent has seen. */
  private readonly known = new Set<string>();
  private sawTables = false;
  private last: { statement: string; result: Result } | null = null;
  private done = false;
  private success = false;
  private listed: readonly string[] | undefined;

  constructor(
    private readonly task: SqlTask,
    private readonly options: SqlOptions,
  ) {
    if (options.schema === 'shown') {
      this.sawTables = true;
      for (const { name } of task.tables) this.known.add(name);
    }
  }

  private get brief(): boolean {
    return this.options.observation === 'brief';
  }

  begin(): Feedback {
    return { ...this.feedback(this.opening(), true), validActions: this.newActions() };
  }

  private opening(): string {
    const { question, evidence, tables } = this.task;
    const hint = evidence ? `\nHint: ${evidence}` : '';
    if (this.options.schema === 'ask') return this.brief ? question : `Question: ${question}${hint}`;
    if (this.brief) return [question, ...tables.map(columnsInWords)].join(' ; ');
    return `Question: ${question}${hint}\nSchema:\n${tables.map(({ create }) => `${create};`).join('\n')}`;
  }

  step(action: string): Feedback {
    if (this.done) return this.feedback('The episode is over.', false);
    const { call, reply } = this.take(action);
    this.turns.push({
      call: call ? commandOf(call) : action.slice(0, 500),
      answer: reply.seen ?? reply.text,
      ok: reply.ok,
      columns: reply.result?.columns ?? [],
    });
    if (this.turns.length > mostTurnsSeen) this.turns.shift();
    return { ...this.feedback(reply.text, reply.ok), validActions: this.newActions() };
  }

  private take(action: string): { call: SqlCall | null; reply: Reply } {
    let call: SqlCall | null = null;
    try {
      call = readCall(action);
      return { call, reply: this[call.name](call.argument) };
    } catch (error) {
      if (!(error instanceof CallError || error instanceof SqlError)) throw error;
      const seen = `Error: ${error.message}`;
      return { call, reply: { text: this.brief ? 'error' : seen, seen, ok: false } };
    }
  }

  private tables(): Reply {
    this.sawTables = true;
    const { tables } = this.task;
    const text = this.brief
      ? tables.map(({ name }) => name).join(' ')
      : tables.map(({ name, rows }) => `${name} (${countOf(rows, 'row')})`).join('\n');
    return { text, ok: true };
  }

  private describe(given: string): Reply {
    const table = this.task.tables.find(({ name }) => name.toLowerCase() === given.toLowerCase());
    if (!table) throw new CallError(`there is no table "${[...given].slice(0, 60).join('')}"`);
    this.known.add(table.name);
    if (this.brief) return { text: columnsInWords(table), ok: true };
    const example = firstRows(this.task.database(), table.name, exampleRows);
    return { text: `${table.create}\n${countOf(table.rows, 'row')}, the first:\n${tableText(example)}`, ok: true };
  }

  private query(statement: string): Reply {
    const result = this.task.database().run(statement);
    this.last = { statement, result };
    return { text: this.brief ? briefText(result) : tableText(result), ok: true, result };
  }

  private answer(statement: string): Reply {
    if (statement) this.query(statement);
    if (!this.last) throw new CallError('there is no query yet: run one, or write the statement after answer');
    this.done = true;
    this.success = this.isRight(this.last.result);
    return { text: this.success ? 'The answer is right.' : 'The answer is wrong.', ok: true };
  }

  private isRight({ rows }: Result): boolean {
    return sameRows(rows, this.task.goldResult().rows, this.task.ordered);
  }

  private feedback(observation: string, valid: boolean): Feedback {
    return { observation, reward: this.success ? 1 : 0, done: this.done, valid, validActions: null };
  }

  /** Valid actions if they have changed, null if not, undefined if none are listed. */
  private newActions(): readonly string[] | null | undefined {
    const statements = this.task.statements(this.known);
    if (!statements) return undefined;
    const unseen = this.sawTables ? this.task.tables.filter(({ name }) => !this.known.has(name)) : [];
    const actions = [
      ...(this.sawTables ? [] : ['tables']),
      ...unseen.map(({ name }) => `describe ${name}`),
      ...statements.map((statement) => `query ${statement}`),
      ...(this.last ? ['answer'] : []),
    ];
    if (actions.length === this.listed?.length && actions.every((action, k) => action === this.listed![k])) return null;
    this.listed = actions;
    return actions;
  }

  /** Actions that are left for a solver; null after the end. */
  plan(): string[] | null {
    if (this.done) return null;
    if (this.last && this.isRight(this.last.result)) return ['answer'];
    const { tables, gold } = this.task;
    const needed = tables.filter(({ name }) => !this.known.has(name) && namesTable(gold, name));
    const looks = needed.map(({ name }) => `describe ${name}`);
    return [...(this.sawTables ? [] : ['tables']), ...looks, `query ${gold}`, 'answer'];
  }

  /** The statement that answers the question. */
  get gold(): string {
    return this.task.gold;
  }

  view(): SqlView {
    const outcome = this.done
      ? { success: this.success, statement: this.last!.statement, given: this.last!.result }
      : null;
    return viewOf(this.task, this.turns, outcome);
  }
}

/** "member id name city". */
const columnsInWords = ({ name, columns }: CatalogueTable) => [name, ...columns.map((each) => each.name)].join(' ');
