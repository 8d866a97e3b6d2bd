/**
 * The interface of a set of rules: prints the question, parses replies and prints observations. The world executes
 * searches and keeps the score; rules handle only texts. There are three sets: this project's (own.ts), AgentGym's
 * (agentgym.ts) and Search-R1's (search-r1.ts).
 */

import type { Golds } from '../../../corpus/question.ts';
import type { Document } from '../../../corpus/retrieval/retriever.ts';
import { strip } from '../../../python/text.ts';
import { pairsOf } from './tags.ts';

export type Act = { kind: 'search'; query: string } | { kind: 'answer'; text: string } | { kind: 'invalid' };

export interface Rules {
  /** First observation. */
  ask(question: string): string;
  read(reply: string): Act;
  /** True if the reply's answer is right. */
  isRight(reply: string, act: Act & { kind: 'answer' }, golds: Golds): boolean;
  /** Observation that lists the documents of a search. */
  show(documents: readonly Document[]): string;
  right: string;
  wrong: string;
  invalid: string;
  /** Prints a search or an answer as an action, for valid actions and plans. */
  write(act: Exclude<Act, { kind: 'invalid' }>): string;
}

/** Parses the first complete pair of tags. Its content is trimmed. */
export function readTags(reply: string): Act {
  const first = (['search', 'answer'] as const)
    .flatMap((name) => pairsOf(reply, name).next().value ?? [])
    .sort((a, b) => a.start - b.start)[0];
  if (!first) return { kind: 'invalid' };
  const text = strip(first.content);
  return reply.startsWith('<search>', first.start) ? { kind: 'search', query: text } : { kind: 'answer', text };
}

export const writeTags: Rules['write'] = (act) =>
  act.kind === 'search' ? `<search>${act.query}</search>` : `<answer>${act.text}</answer>`;

/** Prints documents as `Doc 1(Title: "Velora") ...`, one per line. A document's text may itself contain line breaks. */
export function listDocuments(documents: readonly Document[]): string {
  return documents.map(({ title, text }, k) => `Doc ${k + 1}(Title: ${title}) ${text}\n`).join('');
}
