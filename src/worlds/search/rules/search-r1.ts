/**
 * The rules of Search-R1's rollouts (arXiv 2503.09516, github.com/PeterGriffinJin/Search-R1, Apache-2.0,
 * search_r1/llm_agent/generation.py), from recordings of its own code. A reply is cut after its first closing tag, any
 * answer ends the episode, and after a number of turns one last reply is requested in which searches are not executed.
 * Its own score is deliberately not used, because it also scores the prompt, whose example counts as an answer (see
 * `lastAnswer` in score.ts).
 */
import type { Document } from '../../../corpus/retrieval/retriever.ts';
import { strip } from '../../../python/text.ts';
import { type Act, listDocuments, readTags } from './rules.ts';

/** Number of turns in which searches are executed. One more reply follows. */
export const searchR1Turns = 2;

export interface SearchR1Turn {
  /** The reply after it has been cut. */
  response: string;
  act: Act;
  observation: string;
  done: boolean;
  valid: boolean;
  isSearch: boolean;
}

/** Cuts a reply after its first `</search>`, else after its first `</answer>`. */
function cutReply(reply: string): string {
  for (const tag of ['</search>', '</answer>']) {
    const at = reply.indexOf(tag);
    if (at >= 0) return reply.slice(0, at + tag.length);
  }
  return reply;
}

const invalid =
  '\nMy previous action is invalid. If I want to search, I should put the query between <search> and </search>. If I want to give the final answer, I should put the answer between <answer> and </answer>. Let me try again.\n';

/** Plays one turn. `find` executes a search; it is null for the last reply. */
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
