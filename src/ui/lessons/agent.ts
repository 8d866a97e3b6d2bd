/** Lesson 1: an agent and its world. Play first, then watch an untrained policy. */
import { msg, str } from '@lit/localize';
import experiment from '../../../experiments/lessons/agent.json';
import { goalCount, timeCount } from '../kit/counts.ts';
import { hasWatchedEpisode, type Lesson } from '../state/lesson.ts';

export const agent: Lesson = {
  id: 'agent',
  title: () => msg('An agent and its world'),
  aim: () => msg('Learn what observation, action, reward and episode mean by being the agent.'),
  minutes: 6,
  experiment,
  start: { panel: 'stage', tab: 'play' },
  claims: [],
  parts: [
    {
      id: 'act',
      title: () => msg('Act once'),
      text: () => [
        msg(
          'You are the agent. Open the tab Play and press the button Play. The world describes what can be crafted and what the goal is: this is an observation.',
        ),
        msg('Answer with an action: choose one from the list, or type it. The arrow keys choose, Enter sends.'),
      ],
      where: { panel: 'stage', tab: 'play' },
      done: ({ state }) => state.played.turns >= 1,
    },
    {
      id: 'win',
      title: () => msg('Reach the goal'),
      text: () => [
        msg(
          'Find the command that crafts the goal. Use “get” to fetch each ingredient listed after “using”, then send that command. If you get stuck, choose Next task.',
        ),
        msg(
          'Everything from the first observation to the end is one episode. The reward comes only at its end: 1 for the goal, 0 for anything else.',
        ),
      ],
      where: { panel: 'stage', tab: 'play' },
      done: ({ state }) => state.played.successes >= 1,
      far: ({ state }) =>
        msg(str`You acted ${timeCount(state.played.turns)} and reached ${goalCount(state.played.successes)}.`),
    },
    {
      id: 'refused',
      title: () => msg('Try an invalid action'),
      text: () => [
        msg(
          'Start the next task and craft before you have the ingredients. The world refuses: nothing changes, but the turn is used up.',
        ),
        msg('Nobody tells the agent which action was the mistake. It has to find that out from rewards alone.'),
      ],
      where: { panel: 'stage', tab: 'play' },
      done: ({ state }) => state.played.refused >= 1,
    },
    {
      id: 'watch',
      title: () => msg('Watch a beginner'),
      text: () => [
        msg(
          'Now a policy with random weights takes your place. It reads the same text and chooses among the same actions, without having learnt anything.',
        ),
        msg(
          'Choose New in the bar to create it, then Watch one episode on the stage, and wait until the episode has ended.',
        ),
      ],
      where: { panel: 'stage', tab: 'watch' },
      done: hasWatchedEpisode,
    },
  ],
  questions: [
    {
      id: 'episode',
      text: () => msg('What is an episode?'),
      choices: [
        {
          text: () => msg('One action and the world’s answer to it.'),
          feedback: () => msg('That is one turn. An episode has as many turns as it takes, up to the horizon.'),
        },
        {
          text: () => msg('One try at one task, from the first observation to its end.'),
          right: true,
          feedback: () => msg('Yes. It ends at the goal, or when the turns have run out.'),
        },
        {
          text: () => msg('Everything that the agent has played so far.'),
          feedback: () => msg('That is its experience, many episodes of many tasks.'),
        },
      ],
    },
    {
      id: 'reward',
      text: () => msg('The agent fetches the right ingredient in its first turn. What does it get for that?'),
      choices: [
        {
          text: () => msg('A part of the reward.'),
          feedback: () => msg('Not here: this world pays only when the goal is crafted.'),
        },
        {
          text: () => msg('Nothing yet: only the end of the episode is rewarded.'),
          right: true,
          feedback: () =>
            msg(
              'Yes. Finding out which actions earned the reward is called credit assignment. The next lessons are about it.',
            ),
        },
        {
          text: () => msg('A sign from the world that this was right.'),
          feedback: () => msg('The world answers “Got …” to every fetch that is possible, useful or not.'),
        },
      ],
    },
  ],
};
