/**
 * Judges an episode like WebArena (evaluation_harness, github.com/web-arena-x/webarena, Apache-2.0): by its answer, its
 * final address and the content of pages. Every evaluation type of the task must hold. To add a type, add a line to
 * `evaluators`.
 */
import { type HtmlTarget, matchesHtml } from './html.ts';
import { type EvaluationContext, HtmlMatchError } from './page.ts';
import { matchesAnswer, ReferenceAnswerError, type ReferenceAnswers } from './strings.ts';
import { matchesUrl, UrlMatchError } from './urls.ts';

/** The `eval` object of a task in WebArena's files. */
export interface Evaluation {
  eval_types: readonly string[];
  reference_answers?: ReferenceAnswers | null;
  reference_url?: string | null;
  program_html?: readonly HtmlTarget[];
  string_note?: string;
  url_note?: string;
}

interface Judged {
  intent: string;
  evaluation: Evaluation;
  answer: string;
}

type Evaluator = (judged: Judged, context: EvaluationContext) => Promise<boolean>;
// A task whose reference is missing is an error, as with the original, and never a success.
const evaluators: { [type: string]: Evaluator } = {
  string_match: async ({ intent, evaluation: { reference_answers, string_note: note }, answer }, { judge }) => {
    if (!reference_answers) throw new ReferenceAnswerError('string_match needs reference_answers.');
    return matchesAnswer(reference_answers, answer, { intent, note, judge });
  },
  url_match: async ({ evaluation: { reference_url, url_note } }, { page }) => {
    if (typeof reference_url !== 'string') throw new UrlMatchError('url_match needs a reference_url.');
    return matchesUrl(reference_url, page.url(), url_note);
  },
  program_html: async ({ evaluation: { program_html } }, context) => {
    if (!program_html) throw new HtmlMatchError('program_html needs its list of targets.');
    return matchesHtml(program_html, context);
  },
};

/** Returns 1 if all evaluation types hold, else 0. A page that one evaluator opens stays open for the next. */
export async function evaluate(judged: Judged, context: EvaluationContext): Promise<0 | 1> {
  const types = judged.evaluation.eval_types;
  const unknown = types.find((type) => !Object.hasOwn(evaluators, type));
  if (unknown !== undefined) throw new HtmlMatchError(`eval_type ${unknown} is not supported`);
  let all = true;
  for (const type of types) if (!(await evaluators[type](judged, context))) all = false;
  return all ? 1 : 0;
}
