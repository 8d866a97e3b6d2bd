/**
 * The rules of Search-R1's rollouts (arXiv 2503.09516, github.com/PeterGriffinJin/Search-R1, Apache-2.0,
 * search_r1/llm_agent/generation.py), as recorded from its own code: a reply is cut behind its first closing tag, any answer ends the
 * episode, and after a number of turns one last reply is asked for in which a search is no longer carried out. Its own score is left
 * out on purpose: it reads the prompt, whose example counts as an answer (see score.ts, `lastAnswer`).
 */
import type { Document } from '../../../corpus/retrieval/retriever.ts';
import { strip } from './python-text.ts';
import { type Act, listDocuments, readTags } from './rules.ts';

/** Turns in which searches are carried out; one more reply follows. */
export const searchR1Turns = 2;

export interface SearchR1Turn {
  /** The reply as it is kept. */
  response: string;
  act: Act;
  observation: string;
  done: boolean;
  valid: boolean;
  isSearch: boolean;
}

/** Behind the first `</search>`, else behind the first `</answer>`. */
export function cutReply(reply: string): string {
  for (const tag of ['</search>', '</answer>']) {
    const at = reply.indexOf(tag);
    if (at >= 0) return reply.slice(0, at + tag.length);
  }
  return reply;
}

const invalid =
  '\nMy previous action is invalid. If I want to search, I should put the query between <search> and </search>. If I want to give the final answer, I should put the answer between <answer> and </answer>. Let me try again.\n';

/** One turn; `find` carries out a search, null in the last reply. */
export async function searchR1Turn(
  reply: string,
  find: ((query: string) => Promise<Document[]>) | null,
): Promise<SearchR1Turn> {
  const response = cutReply(reply);
  const act = readTags(response);
  const isSearch = act.kind === 'search';
  const shown =
    isSearch && find ? `\n\n<information>${strip(listDocuments(await find(act.query)))}</information>\n\n` : '';
  return {
    response,
    act,
    observation: act.kind === 'invalid' ? invalid : shown,
    done: act.kind === 'answer',
    valid: act.kind !== 'invalid',
    isSearch,
  };
}
