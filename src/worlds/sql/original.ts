/**
 * The rules of AgentGym's SQLGym (agentenv-sqlgym at 3ef9235 over sqlgym 0.1.2): the schema in words, one statement,
 * and its result as Python prints it, cut after 100 characters.
 */

import { type Result, SqlError, type Value } from '../../corpus/databases/read-only.ts';
import type { Feedback } from '../../envs/env.ts';
import { type Literal, LiteralTuple, literalRepr } from '../../python/literal.ts';
import { sameRows } from './judge.ts';
import type { SqlTask } from './task.ts';
import { type SqlView, type TurnSeen, viewOf } from './view-data.ts';

const mostShown = 100;

/** Python's name of a value: whole numbers are ints unless SQLite has them as reals, which print alike here. */
function literalOf(value: Value): Literal {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value;
  if (value instanceof Uint8Array) return [...value].map((byte) => String.fromCharCode(byte)).join('');
  return value;
}

const printed = ({ rows }: Result) => literalRepr(rows.map((row) => new LiteralTuple(row.map(literalOf))));

/** The description of a database as sqlgym writes it, after DAMO-ConvAI's BIRD code. */
function schemaInWords({ databaseName, tables }: SqlTask): string {
  const names = tables.map(({ name }) => name.toLowerCase());
  const sentences = tables.flatMap(({ name, columns }) => {
    const keys = columns.filter(({ isKey }) => isKey).map((each) => each.name.toLowerCase());
    return [
      `Table ${name.toLowerCase()} has columns such as ${columns.map((each) => each.name.toLowerCase()).join(', ')}.`,
      `${keys.join(', ')} is the primary key.`,
    ];
  });
  const references = tables.flatMap(({ name, columns }) =>
    columns
      .filter(({ references: target }) => target)
      .map(({ name: column, references: target }) => {
        const [table, key] = target.toLowerCase().split('.');
        return `The ${column.toLowerCase()} of ${name.toLowerCase()} is the foreign key of ${key} of ${table}.`;
      }),
  );
  return [`${databaseName} contains tables such as ${names.join(', ')}.`, ...sentences, ...references].join(' ');
}

export class OriginalSqlEpisode {
  private readonly turns: TurnSeen[] = [];
  private outcome: { success: boolean; statement: string; given: Result } | null = null;

  constructor(private readonly task: SqlTask) {}

  begin(): Feedback {
    const observation = `${schemaInWords(this.task)}\n\n${this.task.question}`;
    return { observation, reward: 0, done: false, valid: true, validActions: this.actions() };
  }

  private actions(): readonly string[] | undefined {
    return this.task.statements(new Set(this.task.tables.map(({ name }) => name))) ?? undefined;
  }

  /** Every statement ends the episode; another one is judged anew, as there. */
  step(statement: string): Feedback {
    const { result, text } = this.execute(statement);
    const success = result !== null && sameRows(result.rows, this.task.goldResult().rows, false);
    this.outcome = { success, statement, given: result ?? { columns: [], rows: [] } };
    const observation = text.length > mostShown ? `${text.slice(0, mostShown)}...` : text;
    const ok = result !== null;
    this.turns.push({ call: statement.slice(0, 500), answer: observation, ok, columns: [] });
    return { observation, reward: success ? 1 : 0, done: true, valid: ok, validActions: null };
  }

  private execute(statement: string): { result: Result | null; text: string } {
    try {
      const result = this.task.database().run(statement);
      return { result, text: printed(result) };
    } catch (error) {
      if (!(error instanceof SqlError)) throw error;
      return { result: null, text: error.message };
    }
  }

  plan(): string[] | null {
    return this.outcome ? null : [this.task.gold];
  }

  get gold(): string {
    return this.task.gold;
  }

  view(): SqlView {
    return viewOf(this.task, this.turns, this.outcome);
  }
}
