/**
 * Score of a survey: F1 of the works under yes, in which partly counts half, on both sides. With weights 1, 1/2 and 0 of
 * yes, partly and no, a document earns the smaller of its own weight and that of its place; precision divides the sum by
 * the weights of all places, recall by those of all documents.
 */

export const grades = ['yes', 'partly', 'no'] as const;
export type Grade = (typeof grades)[number];

const weights: { readonly [grade in Grade]: number } = { yes: 1, partly: 0.5, no: 0 };

/** Grade of a document that meets `met` of `all` criteria: partly if it misses one. */
export const gradeOf = (met: number, all: number): Grade => (met === all ? 'yes' : met === all - 1 ? 'partly' : 'no');

export interface Filing {
  grade: Grade;
  /** Place of the evidence among the document's sentences. */
  sentence: number;
}

/** The truth about a document: its grade, and the sentences that show a criterion met or missed. */
export interface Truth {
  grade: Grade;
  shows: { met: readonly number[]; missed: readonly number[] };
}

/** True if the sentence shows the filed grade: a criterion met for yes, a criterion missed for the others. */
export const isShown = ({ grade, sentence }: Filing, { shows }: Truth): boolean =>
  (grade === 'yes' ? shows.met : shows.missed).includes(sentence);

export interface SurveyScore {
  f1: number;
  precision: number;
  recall: number;
  /** Filed documents whose grade is right. */
  right: number;
  /** Of these, those whose sentence shows it. */
  shown: number;
  filed: number;
}

/** Scores filings against the truth about all documents. `needsEvidence`: without its sentence a document earns nothing. */
export function scoreOf(
  filings: ReadonlyMap<string, Filing>,
  truths: ReadonlyMap<string, Truth>,
  needsEvidence = false,
): SurveyScore {
  let [earned, placed, right, shown] = [0, 0, 0, 0];
  for (const [id, filing] of filings) {
    const truth = truths.get(id) ?? { grade: 'no', shows: { met: [], missed: [] } };
    const proven = isShown(filing, truth);
    placed += weights[filing.grade];
    if (proven || !needsEvidence) earned += Math.min(weights[filing.grade], weights[truth.grade]);
    if (filing.grade !== truth.grade) continue;
    right++;
    if (proven) shown++;
  }
  const wanted = [...truths.values()].reduce((sum, { grade }) => sum + weights[grade], 0);
  return {
    f1: placed + wanted > 0 ? (2 * earned) / (placed + wanted) : 0,
    precision: placed > 0 ? earned / placed : 0,
    recall: wanted > 0 ? earned / wanted : 0,
    right,
    shown,
    filed: filings.size,
  };
}
