/**
 * Scores an answer by exact match after normalisation, as introduced by SQuAD's evaluation script and adopted by
 * Search-R1 (arXiv 2503.09516, github.com/PeterGriffinJin/Search-R1, Apache-2.0, verl/utils/reward_score/qa_em*.py) and
 * AgentGym. All functions depend only on their texts.
 */
import type { Golds } from '../../../corpus/question.ts';
import { strip } from '../../../python/text.ts';
import { articlesToSpaces, collapse, withoutPunctuation } from './python-text.ts';
import { pairsOf } from './tags.ts';

/** Lower case, without ASCII punctuation and articles, single spaces. */
export function normalizeAnswer(text: string): string {
  return collapse(articlesToSpaces(withoutPunctuation(text.toLowerCase())));
}

const listOf = (golds: Golds): readonly string[] => (typeof golds === 'string' ? [golds] : golds);

/** True if the answer equals one of the golds after normalisation. */
export function exactMatch(answer: string, golds: Golds): boolean {
  const wanted = normalizeAnswer(answer);
  return listOf(golds).some((gold) => normalizeAnswer(gold) === wanted);
}

/** True if the text contains one of the golds, both normalised. */
export function containsGold(text: string, golds: Golds): boolean {
  const searched = normalizeAnswer(text);
  return listOf(golds).some((gold) => searched.includes(normalizeAnswer(gold)));
}

/**
 * The last answer in a text, or null if there are fewer than `least`. AgentGym requires one. Search-R1 requires two,
 * because its text includes the prompt with an example answer; since that example contains two pairs of tags, the
 * requirement is always met there (see the recordings' specs in `golden/search`).
 */
export function lastAnswer(text: string, least: 1 | 2): string | null {
  const found = [...pairsOf(text, 'answer')];
  return found.length < least ? null : strip(found[found.length - 1].content);
}

export interface ScoreRule {
  least: 1 | 2;
  /** Reward of a wrong answer. */
  formatScore?: number;
  match?: (answer: string, golds: Golds) => boolean;
}

/** Returns 1 for a right answer, `formatScore` for a wrong one, 0 if there is none. */
export function scoreText(text: string, golds: Golds, rule: ScoreRule): number {
  const answer = lastAnswer(text, rule.least);
  if (answer === null) return 0;
  return (rule.match ?? exactMatch)(answer, golds) ? 1 : (rule.formatScore ?? 0);
}

/** Transitions of a well-formed reply: state -> tag -> next state. */
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

/**
 * Checks that a whole exchange follows the sequence think, search, information, think ... answer. `reason` is the
 * original's message.
 */
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

/** Weights of the format scorer. All are 0 in the published runs, which leaves exact match alone. */
export interface FormatWeights {
  structure: number;
  final: number;
  retrieval: number;
}

/** Search-R1's scorer that also rewards a well-formed reply and the retrieval of a gold. */
export function scoreFormat(text: string, golds: Golds, { structure, final, retrieval }: FormatWeights): number {
  const [valid] = checkSequence(text);
  const answer = lastAnswer(text, 1);
  if (answer !== null && exactMatch(answer, golds)) return valid ? 1 : 1 - structure;
  if (!valid) return answer === null ? 0 : final;
  return structure + (retrievedGold(text, golds) ? retrieval : 0);
}

/** Here, unlike everywhere else, the original treats a single string as a list of its characters. */
const retrievedGold = (text: string, golds: Golds): boolean =>
  [...pairsOf(text, 'information')].some(({ content }) => containsGold(strip(content), [...golds]));
