/**
 * The judgement of an episode as WebArena makes it (evaluation_harness, github.com/web-arena-x/webarena, Apache-2.0): by the answer,
 * by the address and by what pages show, every one of a task's kinds holding. To add a kind: a line below.
 */
import { type HtmlTarget, matchesHtml } from './html.ts';
import { type EvaluationContext, HtmlMatchError } from './page.ts';
import { matchesAnswer, ReferenceAnswerError, type ReferenceAnswers } from './strings.ts';
import { matchesUrl, UrlMatchError } from './urls.ts';

/** A task's `eval`, as WebArena's files write it. */
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
// A task that names a kind without what it is held against is an error, as with the original: never a success.
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

/** 1 where every kind holds, else 0. Pages that a judge opens stay open for those after it. */
export async function evaluate(judged: Judged, context: EvaluationContext): Promise<0 | 1> {
  const types = judged.evaluation.eval_types;
  const unknown = types.find((type) => !Object.hasOwn(evaluators, type));
  if (unknown !== undefined) throw new HtmlMatchError(`eval_type ${unknown} is not supported`);
  let all = true;
  for (const type of types) if (!(await evaluators[type](judged, context))) all = false;
  return all ? 1 : 0;
}
