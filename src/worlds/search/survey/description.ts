/** Description of the survey: the facts that both its module and its client need. */
import type { WorldDescription } from '../../../envs/env.ts';
import { ownInstruction } from '../../../envs/instruction.ts';
import { lastAction } from '../../../envs/reply.ts';
import { parseSurveyOptions } from './options.ts';

export const surveyDescription: WorldDescription = {
  name: 'search-survey',
  title: 'Survey',
  summary:
    'Find all works that meet some criteria, and file each under yes, partly or no with the sentence that shows it.',
  instruction:
    'You survey a library for a person, who names some criteria. Find all works that meet all of them, and those that miss exactly one. Each turn, do one thing:\n' +
    'search WORDS: lists the works that mention these words\nmore: lists the next works of the last search\n' +
    'open TITLE: shows a work, its sentences numbered, or an article that a work names\n' +
    'yes N, partly N or no N: files the work that was opened last: yes if it meets all criteria, partly if it misses one, no otherwise. N is the number of a sentence that shows it: of a criterion met for yes, of a criterion missed for the others\n' +
    'done: ends the survey\n' +
    'Write a turn as:\nThought:\nyour thoughts.\n\nAction:\nsearch Velora\n',
  acknowledgement: 'Ok.',
  reply: lastAction,
  writeReply: (action) => `Action:\n${action}`,
  under: ownInstruction(parseSurveyOptions),
  credit:
    "Search and validate after WisPaper (arXiv 2512.06879); made universes after the idea of PhantomWiki (arXiv 2502.20377); the pool of a corpus with a judge after TREC (trec.nist.gov). The program and the universes are this project's own.",
  hasOracle: true,
  hasValidActions: true,
  successReward: 1,
  freeRunning: false,
  replayable: true,
};
