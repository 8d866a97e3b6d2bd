/**
 * Reads documents and questions from JSON records in common formats. Documents: Search-R1's form (`id`, and `contents`
 * whose first line is the title), or separate title and text. Questions: the forms of NQ-open, HotpotQA, MuSiQue, TriviaQA,
 * SQuAD, Search-R1 and AgentGym. Handles JSON, but neither files nor the index.
 */

import { CorpusError } from './lines.ts';
import type { SourceQuestion } from './question.ts';
import { readContents } from './retrieval/retriever.ts';
import type { NewDocument } from './retrieval/text-index.ts';

type Fields = { [name: string]: unknown };

/** A record that is neither a document nor a question; the message is the reason. */
export class RecordError extends Error {
  override name = 'RecordError';
}

export function parseRecord(line: string): Fields {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    throw new RecordError(`it is not JSON: ${(error as Error).message}`);
  }
  return fieldsOf(value);
}

/** Fields of a record. Throws RecordError for another value. */
export function fieldsOf(value: unknown): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new RecordError('it is not a JSON object');
  return value as Fields;
}

/** Levels of lists of texts: HotpotQA's articles are lists of paragraphs, which are lists of sentences. */
const mostLevels = 3;

const firstText = (fields: Fields, names: readonly string[]): string | null => {
  for (const name of names) {
    const value = fields[name];
    if (typeof value === 'string') return value;
    if (typeof value === 'number') return String(value);
    const parts = Array.isArray(value) ? (value as unknown[]).flat(mostLevels) : [null];
    if (parts.every((each) => typeof each === 'string')) return parts.join(' ');
  }
  return null;
};

const textNames = ['text', 'body', 'content', 'passage', 'paragraphs', 'sentences'];
const idNames = ['id', '_id', 'docid', 'doc_id', 'passage_id'];

/** Reads a document. `fallbackId` is its id if the record has none. */
export function readDocument(fields: Fields, fallbackId: string): NewDocument {
  const id = firstText(fields, idNames) ?? fallbackId;
  const contents = firstText(fields, ['contents']);
  if (contents !== null) {
    const { title, text } = readContents(id, contents);
    return { id, title, text };
  }
  const text = firstText(fields, textNames);
  const odd = text === null && ['contents', ...textNames].find((name) => fields[name] != null);
  if (odd) throw new RecordError(`its "${odd}" is neither a text nor a list of texts`);
  const title = firstText(fields, ['title', 'name']);
  if (text === null && title === null) throw new RecordError('it has neither "contents" nor "text" nor "title"');
  return { id, title: title ?? (text ?? '').slice(0, 80), text: text ?? '' };
}

/**
 * Texts of an answer: a text, a number, a list of them, or an object with `text` (SQuAD) or with `value` and `aliases`
 * (TriviaQA). Throws RecordError for another value.
 */
function answersIn(value: unknown): string[] {
  if (value === null || value === undefined) return [];
  if (typeof value === 'string' || typeof value === 'number') return value === '' ? [] : [String(value)];
  if (Array.isArray(value)) return value.flatMap(answersIn);
  const { text, value: main, aliases } = Object(value) as Fields;
  const found = answersIn([text, main, aliases]);
  if (found.length === 0 && typeof value !== 'object') throw new RecordError(`its answer is ${value}, not a text`);
  return found;
}

/** Accepted answers, in whichever field the common formats keep them, or null if there are none. */
function goldsOf(fields: Fields): string[] | null {
  const { reward_model: model, golden_answers: golden, answers, answer, target } = fields;
  const truth = (model as Fields | undefined)?.ground_truth as Fields | undefined;
  for (const each of [truth?.target, golden, answers, answer, target]) {
    const found = answersIn(each);
    // Names by which MuSiQue and others accept the answer, too.
    if (found.length) return [...new Set([...found, ...answersIn([fields.answer_aliases, fields.aliases])])];
  }
  return null;
}

/** Distinct titles of the supporting articles of HotpotQA and 2WikiMultihopQA. */
function evidenceOf({ supporting_facts: facts }: Fields): string[] {
  if (Array.isArray(facts)) return [...new Set(facts.map((each) => String(Array.isArray(each) ? each[0] : each)))];
  const titles = (facts as Fields | undefined)?.title;
  return Array.isArray(titles) ? [...new Set(titles.map(String))] : [];
}

function readQuestion(fields: Fields): SourceQuestion {
  const text = firstText(fields, ['question', 'query', 'problem']);
  const golds = goldsOf(fields);
  if (text === null) throw new RecordError('it has no "question"');
  if (!golds)
    throw new RecordError('it has no answer ("answer", "golden_answers" or "reward_model.ground_truth.target")');
  const evidence = evidenceOf(fields);
  return { text, golds, evidence, hops: evidence.length || null };
}

/**
 * Reads the questions of a file: a JSON list, or one record per line. Invalid records are counted, and the first ones
 * are returned with their reasons.
 */
export function readQuestions(source: string): { questions: SourceQuestion[]; refused: Refusals } {
  // Windows' tools begin a file with a byte order mark.
  const text = source.replace(/^\uFEFF/, '');
  const refused = new Refusals();
  const questions: SourceQuestion[] = [];
  const take = (where: string, read: () => Fields) => {
    try {
      questions.push(readQuestion(read()));
    } catch (error) {
      refused.add(where, error);
    }
  };
  if (/^\s*\[/.test(text)) {
    for (const [k, value] of listIn(text).entries()) take(`record ${k + 1}`, () => fieldsOf(value));
  } else {
    for (const [k, line] of text.split('\n').entries()) if (line.trim()) take(`line ${k + 1}`, () => parseRecord(line));
  }
  return { questions, refused };
}

function listIn(text: string): unknown[] {
  try {
    return JSON.parse(text) as unknown[];
  } catch (error) {
    throw new CorpusError(`The file of questions is not JSON: ${(error as Error).message}.`);
  }
}

const mostExplained = 5;

/** Records that could not be read: their number, and the first few with their reasons. All other records are kept. */
export class Refusals {
  count = 0;
  readonly examples: string[] = [];

  /** Counts a RecordError; rethrows any other error. */
  add(where: string, error: unknown): void {
    if (!(error instanceof RecordError)) throw error;
    this.count++;
    if (this.examples.length < mostExplained) this.examples.push(`${where}: ${error.message}`);
  }
}
