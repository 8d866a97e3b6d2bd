/**
 * Summary that a policy writes at the end of a full window (window.ts), from which the next window begins. It is
 * sampled in the window that it closes, and trained with the credit of the turn before it.
 *
 * Free text, if the policy writes its actions freely. A policy that chooses among listed actions chooses its summary
 * too: the summary before or a line of the answers since, word by word under a mask. A policy with random weights could
 * not write a useful text, and it can choose a useful line.
 */
import type { ActionTrie } from '../../policy/text/trie.ts';
import { trieOf } from './action-list.ts';
import type { Conversation } from './conversation.ts';
import type { Turn } from './trajectory.ts';
import type { MovingWindow } from './window.ts';

/** Lines offered, the newest ones: a list needs a sequence of the trie for each. */
const mostLines = 64;

export interface OpenSummary {
  /** Lines that can be chosen, oldest first. */
  lines: readonly string[];
  /** Their tokens; null: free text. */
  trie: ActionTrie | null;
  /** The newest line; empty: none. */
  newest: string;
  /** True if there is nothing to choose. */
  isForced: boolean;
}

interface Read {
  turns: readonly Turn[];
  window: MovingWindow;
  conversation: Conversation;
  /** True if actions are chosen under a mask. */
  constrained: boolean;
  /** Maximum number of tokens of a summary. */
  most: number;
}

/**
 * Lines that the window has shown: its summary, the answer in its head and the answers after it, without the last one,
 * which stands in the next head. Each once; lines with too many tokens are left out.
 */
function linesOf({ turns, window, conversation, most }: Read): string[] {
  const answers = turns.slice(Math.max(0, window.firstTurn - 1), -1).map(({ observation }) => observation);
  const texts = [window.all.at(-1)?.summary?.text ?? '', ...answers];
  const lines = texts.flatMap((text) => text.split('\n').map((line) => line.trim())).filter((line) => line !== '');
  // The last place of an equal line counts.
  const distinct = [...new Set(lines.reverse())].reverse();
  return distinct.filter((line) => conversation.action(line).length <= most).slice(-mostLines);
}

/** The summary to be written after these turns. */
export function openSummary(read: Read): OpenSummary {
  const lines = linesOf(read);
  const newest = lines.at(-1) ?? '';
  if (!read.constrained) return { lines, trie: null, newest, isForced: false };
  const trie = lines.length > 0 ? trieOf(lines, read.conversation) : null;
  return { lines, trie, newest, isForced: trie === null || trie.trie.leaf[0] >= 0 };
}
