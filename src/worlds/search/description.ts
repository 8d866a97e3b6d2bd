/** Description of Search: the facts that both its module and its client need. */
import type { WorldDescription } from '../../envs/env.ts';
import { ownInstruction } from '../../envs/instruction.ts';
import { parseSearchOptions } from './options.ts';
import { searchReply } from './reply.ts';

export const searchDescription: WorldDescription = {
  name: 'search',
  title: 'Search',
  summary: 'Answer a question by searching a wiki that no one has read, in as many searches as it takes.',
  // Our own wording of the originals' instructions; the tags are the same.
  instruction:
    'Answer the question. You do not know the answer yet: look it up with a search engine.\n' +
    'Each turn, think inside <think>...</think>, then do one thing. To search, write the words to search for as <search>words</search> and stop; the best documents come back. ' +
    'To answer, write <answer>the answer</answer>, in as few words as it takes; for example, <answer>Beijing</answer>.\n' +
    'A question may need several searches: look up what the first document names, and go on from there.\n',
  reply: searchReply,
  under: ownInstruction(parseSearchOptions),
  credit:
    "SearchQA of AgentGym (arXiv 2509.08755), github.com/WooooDyy/AgentGym, MIT, after Search-R1 (arXiv 2503.09516), github.com/PeterGriffinJin/Search-R1, Apache-2.0; made universes after the idea of PhantomWiki (arXiv 2502.20377). The program and the universes are this project's own.",
  hasOracle: true,
  hasValidActions: true,
  successReward: 1,
  freeRunning: false,
  replayable: true,
  others: (options) => {
    const { hops, corpus } = parseSearchOptions(options);
    if (corpus) return [];
    return [1, 2, 3]
      .filter((each) => !hops.includes(each))
      .map((each) => ({ name: `hops ${each}`, options: { ...options, hops: [each] } }));
  },
};
