/** Data of the view of the world SQL: the question, the tables, the turns, and at the end the rows that were right. */

import type { Result } from '../../corpus/databases/read-only.ts';
import type { WorldView } from '../../envs/env.ts';
import type { CatalogueTable } from './catalogue.ts';
import type { SqlTask } from './task.ts';
import { cellText } from './texts.ts';

export interface TurnSeen {
  /** The call as a command, or the agent's text if it is no call. */
  call: string;
  answer: string;
  ok: boolean;
  /** Columns of the rows in the answer; empty for other answers. */
  columns: string[];
}

export interface RowsSeen {
  columns: string[];
  rows: string[][];
  /** Number of all rows. */
  count: number;
}

export interface SqlView extends WorldView {
  kind: 'sql';
  question: string;
  evidence: string;
  /** Name of the database. */
  database: string;
  tables: {
    name: string;
    rows: number;
    columns: { name: string; type: string; isKey: boolean; references: string }[];
  }[];
  turns: TurnSeen[];
  /** Result of the episode; null before its end. */
  outcome: {
    success: boolean;
    ordered: boolean;
    statement: string;
    given: RowsSeen;
    gold: string;
    right: RowsSeen;
  } | null;
}

/** Maximum number of rows of a result in the view. */
const mostRows = 10;

const rowsSeen = ({ columns, rows }: Result): RowsSeen => ({
  columns,
  rows: rows.slice(0, mostRows).map((row) => row.map(cellText)),
  count: rows.length,
});

const tableSeen = ({ name, rows, columns }: CatalogueTable) => ({ name, rows, columns });

interface Outcome {
  success: boolean;
  statement: string;
  given: Result;
}

export function viewOf(task: SqlTask, turns: readonly TurnSeen[], outcome: Outcome | null): SqlView {
  const { question, evidence, databaseName, tables, ordered, gold } = task;
  return {
    kind: 'sql',
    text: describe(question, turns, outcome),
    question,
    evidence,
    database: databaseName,
    tables: tables.map(tableSeen),
    turns: [...turns],
    outcome: outcome && {
      success: outcome.success,
      ordered,
      statement: outcome.statement,
      given: rowsSeen(outcome.given),
      gold,
      right: rowsSeen(task.goldResult()),
    },
  };
}

function describe(question: string, turns: readonly TurnSeen[], outcome: Outcome | null): string {
  const last = turns.at(-1);
  const called = last ? `Last call: ${last.call}. Answer: ${last.answer}` : 'No calls yet.';
  const end = outcome ? ` The episode is over: ${outcome.success ? 'success' : 'no success'}.` : '';
  return `Question: ${question} ${called}${end}`;
}
