/** Schema of an experiment's `sampling`: how the policy plays its episodes. */
import * as v from 'valibot';
import { choice, field, option, real, toggle, whole } from '../fields/fields.ts';
import { branchPlaces } from '../rl/episode/branching.ts';
import { contextForms } from '../rl/episode/window.ts';

export const SamplingSchema = v.strictObject({
  temperature: field(real(0.01, 10), {
    label: 'Temperature',
    sentence: 'Randomness of sampling: below 1 sharpens the choice, above 1 flattens it.',
    level: 'basic',
    step: 0.05,
  }),
  maskActions: field(toggle(), {
    label: 'Only valid actions',
    sentence: 'Restrict the policy to the actions that the world lists; a policy with random weights needs this.',
    level: 'basic',
  }),
  maxTokensPerTurn: field(whole(1, 1024), {
    label: 'Tokens a turn',
    sentence: 'Greatest length of an action.',
    unit: 'tokens',
  }),
  thoughts: option(whole(0, 1024), 0, {
    label: 'Thoughts',
    sentence:
      'Greatest length of a thought before each action; 0: no thought. Thoughts are unmasked, and sampled and trained like actions. A language model thinks in its replies: above 0 the oracle that it imitates does too.',
    unit: 'tokens',
    change: 'restart',
    step: 16,
  }),
  context: option(choice(contextForms), 'all', {
    label: 'Context',
    sentence:
      'What each turn reads: the whole episode, the world’s latest answer alone, the last turns, the task and its last turns, these and what the world remembers of the episode, or the task and a summary that the policy writes. Each window is a training sample of its own.',
    change: 'restart',
    choiceLabels: {
      all: 'Whole episode',
      latest: 'Latest answer',
      last: 'Last turns',
      task: 'Task and last turns',
      memory: 'Task, memory and last turns',
      summary: 'Task and own summary',
    },
  }),
  contextTurns: option(whole(1, 200), 8, {
    label: 'Turns in context',
    sentence:
      'Maximum number of earlier turns that a window keeps; fewer, if they exceed the episode room. With a summary: turns between two summaries. The whole episode ignores it.',
    unit: 'turns',
  }),
  summaryTokens: option(whole(4, 1024), 64, {
    label: 'Summary',
    sentence:
      'Greatest length of a summary, sampled and trained like an action. A policy that chooses among listed actions chooses a line that it has read; a language model without that mask writes freely.',
    unit: 'tokens',
    step: 16,
  }),
  branchedEpisodes: option(whole(0, 63), 0, {
    label: 'Branched episodes',
    sentence:
      'Episodes of each group that do not begin at the start: they repeat the first turns of another episode of the group and go on by themselves. 0: every episode begins at the start.',
    unit: 'episodes',
  }),
  branchAt: option(choice(branchPlaces), 'entropy', {
    label: 'Branch at',
    sentence: 'Turns at which branched episodes part from the others: those of greatest entropy, or random ones.',
    choiceLabels: { entropy: 'The least certain turns', random: 'Random turns' },
  }),
  promptTokens: field(whole(16, 8192), {
    label: 'Prompt room',
    sentence: "Tokens reserved for the task's text.",
    unit: 'tokens',
    step: 16,
  }),
  completionTokens: field(whole(16, 8192), {
    label: 'Episode room',
    sentence:
      'Tokens reserved for the rest of an episode; an episode that needs more ends as overflow. With a managed context it is the room of one window.',
    unit: 'tokens',
    step: 16,
  }),
});
