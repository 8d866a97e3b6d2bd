/** The words of a first visit, each with its meaning: those of the first screen, then those of the curve. */
import { msg, str } from '@lit/localize';
import { html, nothing, type TemplateResult } from 'lit';
import type { Experiment } from '../../experiment/experiment.ts';
import { tryCount } from '../kit/counts.ts';
import { sentences } from '../kit/format.ts';

interface TermsShown {
  experiment: Experiment | null;
  trained: boolean;
  /** What the world pays, in a sentence; empty or absent: 1 for a success. */
  pays?: string;
}

interface Term {
  word: string;
  meaning: string;
  /** Words of a button that shows an example; absent: there is none. */
  example?: string;
}

function termsOf({ experiment, trained, pays }: TermsShown): Term[] {
  const tries = experiment?.algorithm.groupSize;
  const ofTask = tries === undefined ? msg('All tries of one task.') : msg(str`${tryCount(tries)} of one task.`);
  return [
    {
      word: msg('Policy'),
      meaning: msg('The network. It reads what the agent sees and gives each possible action a probability.'),
    },
    {
      word: msg('Try'),
      meaning: msg(
        'One attempt at one task, from the start to success or to the last allowed move. Also called an episode.',
      ),
    },
    {
      word: msg('Reward'),
      meaning: sentences(
        pays || msg('1 if the try succeeds, 0 if not.'),
        msg('Nothing else tells the agent what is right.'),
      ),
    },
    {
      word: msg('Chance'),
      meaning: msg('How often an agent succeeds that chooses among the same actions at random: the dashed line.'),
    },
    {
      word: msg('Group'),
      meaning: msg(str`${ofTask} The same policy tries differently each time, so they can be compared.`),
      ...(trained && { example: msg('Show a group') }),
    },
    {
      word: msg('Advantage'),
      meaning: msg(
        'The reward of a try compared with the mean of its group: above 0 if it went better than the others.',
      ),
    },
    {
      word: msg('Update'),
      meaning: msg(
        'A small change of the weights after a round of tries: actions with a positive advantage become more likely, those with a negative one less. Also called a step.',
      ),
    },
    ...(trained ? curveTerms() : []),
  ];
}

const curveTerms = (): Term[] => [
  {
    word: msg('Held-out'),
    meaning: msg('Tasks that the agent never trains on. Their success is measured now and then.'),
  },
  { word: msg('Oracle'), meaning: msg('A program that knows the solution: the highest success possible.') },
];

/** `show`: opens the example of a group. */
export function renderTerms(shown: TermsShown, show: () => void): TemplateResult {
  return html`<dl class="terms" aria-label=${msg('Words')}>${termsOf(shown).map(
    ({ word, meaning, example }) =>
      html`<div><dt>${word}</dt><dd>${meaning} ${example ? html`<button class="link" @click=${show}>${example}</button>` : nothing}</dd></div>`,
  )}</dl>`;
}
