/** Lesson 15: tools. A person calls them by a form, then a policy learns to call them one after the other. */
import { msg, str } from '@lit/localize';
import experiment from '../../../experiments/lessons/tools.json';
import { goalCount, stepCount, timeCount } from '../kit/counts.ts';
import { percent } from '../kit/format.ts';
import { type Curve, type Lesson, type LessonContext, openTrajectory } from '../state/lesson.ts';

/** Steps of imitation, and of the whole run. */
const [imitated, all] = [experiment.stages[0].steps, experiment.steps];

const heldOut = ({ trained }: LessonContext, step: number) =>
  trained.find((record) => record.step === step)?.evaluation?.test.policy;

const evaluatedAt = (step: number, of = 'test.policy.rate'): Curve => ({ run: experiment, of, steps: [step, step] });

export const tools: Lesson = {
  id: 'tools',
  title: () => msg('Tools'),
  aim: () =>
    msg('A tool is a function with a schema. An agent calls it, reads its answer, and uses that in its next call.'),
  minutes: 8,
  experiment,
  start: { panel: 'stage', tab: 'play' },
  claims: [
    { text: 'Random calls answer no question.', high: 0.02, low: evaluatedAt(all, 'test.chance.rate') },
    {
      text: 'Imitation leads far above chance on films that the policy never saw.',
      high: { ...evaluatedAt(imitated), minus: 'test.chance.rate' },
      low: 0.2,
    },
    { text: 'Reward leads further.', high: evaluatedAt(all), low: evaluatedAt(imitated), by: 0.05 },
  ],
  parts: [
    {
      id: 'call',
      title: () => msg('Call a tool'),
      text: () => [
        msg(
          'You are the agent. Press Play: the goal is a question about a film. Under the goal is a form, made of the schema of a tool: its name, a sentence, and its arguments with their types.',
        ),
        msg('Call get_search_movie with the title of the film. The answer has the title and the id of the film.'),
      ],
      where: { panel: 'stage', tab: 'play' },
      done: ({ state: { played } }) => played.turns > played.refused,
    },
    {
      id: 'refused',
      title: () => msg('Make a wrong call'),
      text: () => [
        msg(
          'Choose get_movie_crew and call it with an id that no answer has shown, such as 999. The call is refused: it changes nothing, but uses up a turn.',
        ),
        msg(
          'An id cannot be guessed. This is why calls have an order: the answer to one has the argument of the next.',
        ),
      ],
      where: { panel: 'stage', tab: 'play' },
      done: ({ state }) => state.played.refused >= 1,
    },
    {
      id: 'finish',
      title: () => msg('Answer the question'),
      text: () => [
        msg(
          'Call get_movie_crew, or get_movie_cast if the question is about the leading part, with the id that you found. Then choose finish and answer with the name beside the right job, or with the first name of the cast.',
        ),
        msg('A wrong answer ends the episode too. Choose Next task then, and try again.'),
      ],
      where: { panel: 'stage', tab: 'play' },
      done: ({ state }) => state.played.successes >= 1,
      far: ({ state }) =>
        msg(str`You acted ${timeCount(state.played.turns)} and reached ${goalCount(state.played.successes)}.`),
    },
    {
      id: 'train',
      title: () => msg('Let a policy learn to call'),
      text: () => [
        msg(
          'Choose Train. For a hundred steps the policy imitates the oracle’s calls. For twenty more steps it calls by itself and learns from the reward: 1 for the right answer, and less than ½ for calls that were needed.',
        ),
        msg(
          'At steps 100 and 120 it is evaluated on films and people with names that no training question shows. It cannot know their answers by heart: it has to read them.',
        ),
      ],
      where: { panel: 'progress' },
      done: (seen) => heldOut(seen, all) !== undefined,
      far: (seen) => {
        const [before, after] = [heldOut(seen, imitated), heldOut(seen, all)];
        if (!before) return seen.trained.length ? stepCount(seen.trained.length) : '';
        return after
          ? msg(
              str`Held-out questions answered after imitation: ${percent(before.rate)}, after reward: ${percent(after.rate)}`,
            )
          : msg(str`Held-out questions answered after imitation: ${percent(before.rate)}`);
      },
    },
    {
      id: 'read',
      title: () => msg('Read its calls'),
      text: () => [
        msg(
          'Choose a step after step 100 on a chart, and open a successful episode of it in the tab Trajectory. Beside the calls with their answers you see the state behind the tools; what an answer has shown is marked.',
        ),
        msg('Find where the argument of each call comes from: from the goal, or from the answer before it.'),
      ],
      where: { panel: 'stage', tab: 'trajectory' },
      done: (seen) => {
        const step = seen.place.step ?? 0;
        return step > imitated && openTrajectory(seen)?.success === true;
      },
    },
  ],
  questions: [
    {
      id: 'order',
      text: () => msg('Why does a good agent search for the film before it lists the crew?'),
      choices: [
        {
          text: () => msg('Listing the crew needs an id, and the answer to the search shows it.'),
          right: true,
          feedback: () => msg('Yes. The answer to one call is an argument of the next.'),
        },
        {
          text: () => msg('The world prescribes the order of the tools.'),
          feedback: () => msg('Any tool can be called at any time. Only a call with an unknown id is refused.'),
        },
        {
          text: () => msg('Because a search is rewarded more than a list.'),
          feedback: () => msg('Both are needed, and each counts as a part of the way. Only the answer is a success.'),
        },
      ],
    },
    {
      id: 'names',
      text: () => msg('Why are the held-out films and people called by other names?'),
      choices: [
        {
          text: () => msg('So that the policy has to read the answers, instead of knowing names by heart.'),
          right: true,
          feedback: () => msg('Yes. What it has learnt is the way to an answer, not the answers.'),
        },
        {
          text: () => msg('So that the questions become harder for everybody.'),
          feedback: () => msg('A reader of the answers has the same work with any names.'),
        },
        {
          text: () => msg('Because there are not enough names for both.'),
          feedback: () => msg('Names could repeat. They are kept apart on purpose.'),
        },
      ],
    },
  ],
};
