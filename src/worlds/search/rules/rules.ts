/**
 * What a set of rules is: how a question is put, what a reply asks for, what the agent is told. The world carries out the search and
 * keeps the score; rules know texts. Three sets: this project's (own.ts), AgentGym's (agentgym.ts), Search-R1's (search-r1.ts).
 */

import type { Golds } from '../../../corpus/question.ts';
import type { Document } from '../../../corpus/retrieval/retriever.ts';
import { strip } from './python-text.ts';

export type Act = { kind: 'search'; query: string } | { kind: 'answer'; text: string } | { kind: 'invalid' };

export interface Rules {
  /** First observation. */
  ask(question: string): string;
  read(reply: string): Act;
  /** Whether the answer in a reply is right. */
  isRight(reply: string, act: Act & { kind: 'answer' }, golds: Golds): boolean;
  /** What a search found. */
  show(documents: readonly Document[]): string;
  right: string;
  wrong: string;
  invalid: string;
  /** A search or an answer as this set of rules writes it: what valid actions and plans are made of. */
  write(act: Exclude<Act, { kind: 'invalid' }>): string;
}

/** The first whole pair of tags decides; what is in it is taken without the blanks at its ends. */
export function readTags(reply: string): Act {
  const found = /<(search|answer)>(.*?)<\/\1>/s.exec(reply);
  if (!found) return { kind: 'invalid' };
  const text = strip(found[2]);
  return found[1] === 'search' ? { kind: 'search', query: text } : { kind: 'answer', text };
}

export const writeTags: Rules['write'] = (act) =>
  act.kind === 'search' ? `<search>${act.query}</search>` : `<answer>${act.text}</answer>`;

/** `Doc 1(Title: "Velora") ...`, a line each (a text may hold more lines of its own). */
export function listDocuments(documents: readonly Document[]): string {
  return documents.map(({ title, text }, k) => `Doc ${k + 1}(Title: ${title}) ${text}\n`).join('');
}
