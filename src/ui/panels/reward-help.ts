/** Help of the reward editor: the fields of an episode. */
import { msg } from '@lit/localize';
import { type CodeHelp, renderCodeHelp } from './code-help.ts';

const help = (): CodeHelp => ({
  summary: msg('Fields of an episode'),
  rows: [
    ['task', msg('world, id, options and strata of the task')],
    ['prompt', msg('the first text of the world')],
    [
      'turns',
      msg('a list with action, thought, reply, observation, reward (the world’s score after the turn) and valid'),
    ],
    ['score, success', msg('the world’s result')],
    ['ending', 'success, done, horizon, context, invalid-action'],
    ['horizon', msg('the most turns of the episode')],
    ['oracleTurns', msg('turns of the oracle’s plan, or null')],
  ],
  notes: [
    msg(
      'The value is a finite number between −1,000,000 and 1,000,000. There is no clock, network or random number. Keep no state between episodes.',
    ),
  ],
});

export const rewardHelp = () => renderCodeHelp(help());
