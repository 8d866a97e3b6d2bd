/**
 * Search's part of `npm run replay`: plays recordings of AgentGym's SearchQA (`episodes`), of Search-R1 (`search-r1`)
 * and of their scorers (`scoring`) by our rules, with the recordings' own small retriever, whose rule is the first line
 * of world.jsonl.gz. The unit of comparison is a start, a step, a turn or a score; it counts as agreeing only if all
 * parts agree.
 */

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Golds } from '../../src/corpus/question.ts';
import { type Document, type Retriever, readContents } from '../../src/corpus/retrieval/retriever.ts';
import { WorldError } from '../../src/envs/env.ts';
import {
  checkSequence,
  containsGold,
  exactMatch,
  lastAnswer,
  normalizeAnswer,
  type ScoreRule,
  scoreFormat,
  scoreText,
} from '../../src/worlds/search/rules/score.ts';
import { searchR1Turn } from '../../src/worlds/search/rules/search-r1.ts';
import { Search } from '../../src/worlds/search/world.ts';
import type { Difference } from './transcripts.ts';

type Check = [what: string, expected: unknown, found: unknown];
export interface SearchReplay {
  items: number;
  agree: number;
  total: number;
  first: Difference | null;
}

interface EpisodeRow {
  item_id: number;
  question: string;
  golds: Golds;
  first_observation: string;
  steps: { action: string; observation: string; reward: number; done: boolean }[];
}
interface TurnRow {
  active: boolean[];
  raw: string[];
  responses: string[];
  parsed?: [string | null, string][];
  observations?: string[];
  dones: number[];
  valid_action: number[];
  is_search: number[];
}
interface BatchRow {
  questions: string[];
  golds: Golds[];
  turns: TurnRow[];
  final?: TurnRow;
  reward_search_r1: number[];
  reward_without_prompt: number[];
  reward_agentgym_rule_on_same_text: number[];
}
interface Scores {
  [name: string]: unknown;
}
type ScoringRow =
  | { kind: 'normalize'; input: string; expected: string }
  | { kind: 'em'; prediction: string; golds: Golds; em: number; subem: number }
  | { kind: 'score'; solution: string; golds: Golds; agentgym: Scores; search_r1: Scores };
type Row = { kind?: string } & (EpisodeRow | BatchRow | ScoringRow | object);

export function readRows(path: string): Row[] {
  const bytes = readFileSync(path);
  const text = (bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes).toString('utf8');
  return text.split('\n').flatMap((line, k) => {
    if (!line.trim()) return [];
    try {
      return [JSON.parse(line) as Row];
    } catch (error) {
      throw new WorldError(`Line ${k + 1} of ${path} is not JSON: ${(error as Error).message}`);
    }
  });
}

const tokens = (text: string) => new Set(text.toLowerCase().match(/[a-z0-9]+/g) ?? []);

/**
 * The recordings' retriever: the score is the number of shared words divided by the document's number of words plus
 * one. Ties keep their order; always returns `k` documents.
 */
export class RecordedRetriever implements Retriever {
  private readonly words: Set<string>[];

  constructor(private readonly documents: readonly Document[]) {
    this.words = documents.map(({ title, text }) => tokens(`${title}\n${text}`));
  }

  async retrieve(queries: readonly string[], k: number): Promise<Document[][]> {
    return queries.map((query) => {
      const words = [...tokens(query)];
      return this.documents
        .map((document, index) => {
          const shared = words.filter((word) => this.words[index].has(word)).length;
          return { ...document, score: Math.fround(shared / (1 + this.words[index].size)), index };
        })
        .sort((a, b) => b.score - a.score || a.index - b.index)
        .slice(0, k);
    });
  }

  async close(): Promise<void> {}
}

export interface RecordedItem {
  question: string;
  golds: Golds;
}

type WorldRow = { kind: string; id: string; contents: string; text: string } & RecordedItem;

/** Reads world.jsonl.gz from beside the recording, else from the folder of TABGYM_GOLDEN. */
function readRecordedWorld(file: string): WorldRow[] {
  const places = [
    dirname(file),
    join(dirname(file), '../search'),
    join(process.env.TABGYM_GOLDEN ?? '../shared/golden', 'search'),
  ];
  const path = places.map((place) => join(place, 'world.jsonl.gz')).find((each) => existsSync(each));
  const rows = path ? (readRows(path) as unknown as WorldRow[]) : [];
  if (rows[0]?.kind !== 'rule' || !rows[0].text?.startsWith('tokens(s)'))
    throw new WorldError(
      `There is no world.jsonl.gz with the retriever's rule beside ${file} or in ${places[2]}: set TABGYM_GOLDEN to the folder of golden data.`,
    );
  return rows;
}

/** Opens the retriever of a recording. */
export function openRecordedRetriever(file: string): RecordedRetriever {
  const documents = readRecordedWorld(file).filter(({ kind }) => kind === 'doc');
  return new RecordedRetriever(documents.map(({ id, contents }) => readContents(id, contents)));
}

/** Questions of a recording, in order. */
export const openRecordedItems = (file: string): RecordedItem[] =>
  readRecordedWorld(file).filter(({ kind }) => kind === 'item');

/** The prompt's wording is our own, so only the question after it is compared. */
const questionIn = (observation: string) => observation.slice(observation.lastIndexOf('\n\n Question: '));

class Replay {
  agree = 0;
  total = 0;
  first: Difference | null = null;
  constructor(private readonly retriever: Retriever) {}

  count(where: string, checks: readonly Check[]): void {
    this.total++;
    const wrong = checks.find(([, expected, found]) => JSON.stringify(expected) !== JSON.stringify(found));
    if (!wrong) this.agree++;
    else this.first ??= { where, what: wrong[0], expected: wrong[1], found: wrong[2] };
  }

  private readonly find = async (query: string) => (await this.retriever.retrieve([query], 3))[0];

  /** Plays an episode in the world itself under `upstream`, with the row's question and the recorded documents. */
  async episode(where: string, row: EpisodeRow): Promise<void> {
    const question = { text: row.question, golds: row.golds, hops: null, evidence: [] };
    const source = { retriever: this.retriever, question: () => question, namedBy: () => [], mentionsOf: () => [] };
    const world = new Search(async () => source);
    const options = { upstream: true, documents: 3 };
    const [start] = await world.reset([0], [{ world: 'search', id: row.item_id, options, strata: {} }]);
    this.count(`${where}, start`, [['question', questionIn(row.first_observation), questionIn(start.observation)]]);
    for (const [k, step] of row.steps.entries()) {
      const [found] = await world.step([0], [step.action]);
      this.count(`${where}, step ${k + 1}, action ${JSON.stringify(step.action)}`, [
        ['observation', step.observation, found.observation],
        ['reward', step.reward, found.reward],
        ['done', step.done, found.done],
      ]);
    }
  }

  async batch(where: string, row: BatchRow): Promise<void> {
    const turns = row.final ? [...row.turns, row.final] : row.turns;
    const texts = row.questions.map(() => '');
    const dones = row.questions.map(() => 0);
    for (const [t, turn] of turns.entries()) {
      const last = turn === row.final;
      for (const k of texts.keys()) {
        const open = dones[k] === 0;
        const found = open ? await searchR1Turn(turn.raw[k], last ? null : this.find) : null;
        const act = found?.act;
        if (found?.done) dones[k] = 1;
        const parsed =
          act?.kind === 'search' ? [act.kind, act.query] : act?.kind === 'answer' ? [act.kind, act.text] : [null, ''];
        texts[k] += (found?.response ?? '') + (last ? '' : (found?.observation ?? ''));
        this.count(`${where}, episode ${k}, turn ${t + 1}`, [
          ['open', turn.active[k], open],
          ['response', turn.responses[k], found?.response ?? ''],
          ['parsed', turn.parsed?.[k] ?? parsed, parsed],
          ['observation', turn.observations?.[k] ?? '', last ? '' : (found?.observation ?? '')],
          ['done', turn.dones[k], dones[k]],
          ['valid', turn.valid_action[k], Number(found?.valid ?? false)],
          ['search', turn.is_search[k], Number(found?.isSearch ?? false)],
        ]);
      }
    }
    for (const [k, text] of texts.entries()) this.rewards(`${where}, episode ${k}`, row, k, text);
  }

  /**
   * Compares three rewards: Search-R1's rule with its prompt (two pairs of tags, the last with `Beijing`), the same
   * without the prompt, and AgentGym's rule.
   */
  private rewards(where: string, row: BatchRow, k: number, text: string): void {
    const prompted = `<answer> and </answer> <answer> Beijing </answer> ${text}`;
    this.count(`${where}, rewards`, [
      ['with the prompt', row.reward_search_r1[k], scoreText(prompted, row.golds[k], { least: 2 })],
      ['without it', row.reward_without_prompt[k], scoreText(text, row.golds[k], { least: 2 })],
      ["AgentGym's", row.reward_agentgym_rule_on_same_text[k], scoreText(prompted, row.golds[k], { least: 1 })],
    ]);
  }

  scoring(where: string, row: ScoringRow): void {
    if (row.kind === 'normalize') this.count(where, [['normalised', row.expected, normalizeAnswer(row.input)]]);
    else if (row.kind === 'em')
      this.count(where, [
        ['exact match', row.em, Number(exactMatch(row.prediction, row.golds))],
        ['contained', row.subem, Number(containsGold(row.prediction, row.golds))],
      ]);
    else this.count(where, scoreChecks(row));
  }
}

function scoreChecks({ solution, golds, agentgym, search_r1 }: ScoringRow & { kind: 'score' }): Check[] {
  const scores = (least: ScoreRule['least']): Scores => ({
    extract: lastAnswer(solution, least),
    em: scoreText(solution, golds, { least }),
    em_format01: scoreText(solution, golds, { least, formatScore: 0.1 }),
    subem: scoreText(solution, golds, { least, match: containsGold }),
  });
  const form = {
    format_fn: scoreFormat(solution, golds, { structure: 0, final: 0, retrieval: 0 }),
    format_fn_weighted: scoreFormat(solution, golds, { structure: 0.2, final: 0.1, retrieval: 0.1 }),
    valid_sequence: checkSequence(solution),
  };
  return [
    ['AgentGym', agentgym, { ...scores(1), ...form }],
    ['Search-R1', search_r1, scores(2)],
  ];
}

/** Replays a file of recorded episodes, batches or scores and counts the agreeing units. */
export async function replaySearch(file: string): Promise<SearchReplay> {
  const rows = readRows(file).filter(({ kind }) => kind !== 'header');
  if (rows.length === 0) throw new WorldError(`${file} contains nothing to replay.`);
  const replay = new Replay(openRecordedRetriever(file));
  for (const [k, row] of rows.entries()) {
    const where = `record ${k + 1}`;
    if ('item_id' in row) await replay.episode(`${where}, item ${row.item_id}`, row);
    else if ('turns' in row) await replay.batch(where, row);
    else if ('solution' in row || 'prediction' in row || 'input' in row) replay.scoring(where, row as ScoringRow);
    else throw new WorldError(`${where} of ${file} is neither an episode, a batch of turns nor a score.`);
  }
  const { agree, total, first } = replay;
  return { items: rows.length, agree, total, first };
}
