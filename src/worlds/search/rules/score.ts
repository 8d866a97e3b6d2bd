/**
 * Scoring an answer: exact match after normalisation, as SQuAD's evaluation script began it and Search-R1 (arXiv 2503.09516,
 * github.com/PeterGriffinJin/Search-R1, Apache-2.0, verl/utils/reward_score/qa_em*.py) and AgentGym took it over. Functions of
 * text alone.
 */
import type { Golds } from '../../../corpus/question.ts';
import { articlesToSpaces, collapse, strip, withoutPunctuation } from './python-text.ts';

/** Lower case, no ASCII punctuation, no articles, single spaces. */
export function normalizeAnswer(text: string): string {
  return collapse(articlesToSpaces(withoutPunctuation(text.toLowerCase())));
}

const listOf = (golds: Golds): readonly string[] => (typeof golds === 'string' ? [golds] : golds);

/** Whether the answer equals one of the golds, both normalised. */
export function exactMatch(answer: string, golds: Golds): boolean {
  const wanted = normalizeAnswer(answer);
  return listOf(golds).some((gold) => normalizeAnswer(gold) === wanted);
}

/** Whether one of the golds stands anywhere in the text, both normalised. */
export function containsGold(text: string, golds: Golds): boolean {
  const searched = normalizeAnswer(text);
  return listOf(golds).some((gold) => searched.includes(normalizeAnswer(gold)));
}

/**
 * The last answer in a text, or null where there are fewer than `least` of them. AgentGym asks for one; Search-R1 for two,
 * because it scores its prompt too, and the prompt gives an example (which holds two pairs of tags, so that the rule never bites
 * there: specs of the recordings, `golden/search`).
 */
export function lastAnswer(text: string, least: 1 | 2): string | null {
  const found = [...text.matchAll(/<answer>(.*?)<\/answer>/gs)];
  return found.length < least ? null : strip(found[found.length - 1][1]);
}

export interface ScoreRule {
  least: 1 | 2;
  /** Reward of an answer that is wrong. */
  formatScore?: number;
  match?: (answer: string, golds: Golds) => boolean;
}

/** 1 for a right answer, `formatScore` for a wrong one, 0 where there is none. */
export function scoreText(text: string, golds: Golds, rule: ScoreRule): number {
  const answer = lastAnswer(text, rule.least);
  if (answer === null) return 0;
  return (rule.match ?? exactMatch)(answer, golds) ? 1 : (rule.formatScore ?? 0);
}

/** What may follow what in a well-formed reply: state -> tag -> next state. */
const grammar: { [state: string]: { [tag: string]: string } } = {
  start: { '<think>': 'in_think' },
  in_think: { '</think>': 'after_think' },
  after_think: { '<search>': 'in_search', '<answer>': 'in_answer' },
  in_search: { '</search>': 'after_search' },
  after_search: { '<information>': 'in_information' },
  in_information: { '</information>': 'information' },
  information: { '<think>': 'in_think' },
  in_answer: { '</answer>': 'end' },
  end: {},
};
const tagNames = ['think', 'search', 'information', 'answer'];

const marker = '<|im_start|>assistant';

/** Whether a whole exchange keeps to think, search, information, think ... answer; and the original's words for why not. */
export function checkSequence(text: string): [valid: boolean, reason: string] {
  const at = text.indexOf(marker);
  if (at < 0) return [false, 'Missing assistant marker'];
  const content = text.slice(at + marker.length);
  for (const tag of tagNames) {
    const opening = content.split(`<${tag}>`).length - 1;
    const closing = content.split(`</${tag}>`).length - 1;
    if (opening !== closing) return [false, `Mismatch in ${tag} tags: ${opening} opening vs ${closing} closing tags`];
  }
  return walk(content.split(/(<\/?(?:think|search|information|answer)>)/));
}

function walk(parts: readonly string[]): [boolean, string] {
  let state = 'start';
  for (const [k, part] of parts.entries()) {
    if (!strip(part)) continue;
    if (k % 2 === 1) {
      const next = grammar[state][part];
      if (!next) return [false, `Unexpected tag ${part} in state ${state}`];
      state = next;
    } else if (state === 'end') return [false, `Unexpected content in state ${state}`];
    else if (!state.startsWith('in_'))
      return [false, `Unexpected content '${strip(part)}' between tags (state: ${state})`];
  }
  return state === 'end' ? [true, 'Valid sequence format'] : [false, `Incomplete sequence, ended in state ${state}`];
}

/** Weights of the format scorer; all 0 in the published runs, which leaves exact match. */
export interface FormatWeights {
  structure: number;
  final: number;
  retrieval: number;
}

/** Search-R1's scorer that also rewards the form of a reply and that a gold was retrieved. */
export function scoreFormat(text: string, golds: Golds, { structure, final, retrieval }: FormatWeights): number {
  const [valid] = checkSequence(text);
  const answer = lastAnswer(text, 1);
  if (answer !== null && exactMatch(answer, golds)) return valid ? 1 : 1 - structure;
  if (!valid) return answer === null ? 0 : final;
  return structure + (retrievedGold(text, golds) ? retrieval : 0);
}

/** The original takes a single text for a list of its characters here, other than everywhere else. */
const retrievedGold = (text: string, golds: Golds): boolean =>
  [...text.matchAll(/<information>(.*?)<\/information>/gs)].some(([, shown]) => containsGold(strip(shown), [...golds]));
