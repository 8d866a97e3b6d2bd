/** Data of the view of a survey: the question, its criteria, the reading list as it fills, and at the end the score. */
import type { WorldView } from '../../../envs/env.ts';
import { lookUp } from '../universe/reader.ts';
import type { Survey, SurveyDocument } from './library.ts';
import { type Filing, type Grade, isShown, type SurveyScore, type Truth } from './score.ts';

export interface ReadingRow {
  id: string;
  title: string;
  /** Empty if the document does not state it. */
  author: string;
  year: string;
  /** null: opened but not filed. */
  grade: Grade | null;
  evidence: string;
  /** The right place, and true if the sentence shows it; null before the end. */
  truth: { grade: Grade; shown: boolean } | null;
}

export interface SurveyView extends WorldView {
  kind: 'search-survey';
  question: string;
  criteria: readonly string[];
  searches: { query: string; titles: string[]; more: number }[];
  /** The document that is open. */
  open: { title: string; sentences: readonly string[] } | null;
  rows: ReadingRow[];
  /** Documents that belong under yes or partly and were not filed; empty before the end. */
  missed: { title: string; grade: Grade }[];
  score: SurveyScore | null;
  turns: number;
}

export interface SurveySeen {
  survey: Survey;
  searches: readonly { query: string; found: readonly SurveyDocument[]; listed: number }[];
  opened: ReadonlyMap<string, SurveyDocument>;
  filings: ReadonlyMap<string, Filing>;
  open: SurveyDocument | null;
  work: SurveyDocument | null;
  turns: number;
  truths: ReadonlyMap<string, Truth> | null;
  score: SurveyScore | null;
}

function rowOf(document: SurveyDocument, { filings, truths }: SurveySeen): ReadingRow {
  const { id, title, sentences } = document;
  const filing = filings.get(id);
  const truth = truths?.get(id);
  const stated = (relation: string) => lookUp({ title, text: sentences.join(' ') }, [relation]) ?? '';
  return {
    id,
    title,
    author: stated('creator'),
    year: stated('finishing year'),
    grade: filing?.grade ?? null,
    evidence: filing ? sentences[filing.sentence] : '',
    truth: truth ? { grade: truth.grade, shown: filing !== undefined && isShown(filing, truth) } : null,
  };
}

function missedOf({ searches, opened, filings, truths }: SurveySeen): SurveyView['missed'] {
  const known = new Map([...searches.flatMap(({ found }) => found), ...opened.values()].map((each) => [each.id, each]));
  return [...(truths ?? [])]
    .filter(([id, { grade }]) => grade !== 'no' && !filings.has(id))
    .map(([id, { grade }]) => ({ title: known.get(id)?.title ?? '', grade }));
}

export function viewOf(seen: SurveySeen): SurveyView {
  const { survey, searches, opened, open, turns, score } = seen;
  const rows = [...opened.values()].filter(({ isWork }) => isWork).map((document) => rowOf(document, seen));
  const filed = rows.filter(({ grade }) => grade !== null);
  const counts = (['yes', 'partly', 'no'] as const).map(
    (place) => `${filed.filter(({ grade }) => grade === place).length} ${place}`,
  );
  const end = score ? ` F1 ${score.f1.toFixed(2)}, evidence right for ${score.shown} of ${score.filed}.` : '';
  return {
    kind: 'search-survey',
    text: `Question: ${survey.text} ${turns} turns, ${opened.size} opened, filed: ${counts.join(', ')}.${end}`,
    question: survey.text,
    criteria: survey.criteria,
    searches: searches.map(({ query, found, listed }) => ({
      query,
      titles: found.slice(0, listed).map(({ title }) => title),
      more: found.length - listed,
    })),
    open: open && { title: open.title, sentences: open.sentences },
    rows,
    missed: missedOf(seen),
    score,
    turns,
  };
}
