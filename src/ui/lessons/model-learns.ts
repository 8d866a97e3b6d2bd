/**
 * Lesson 12: a language model learns. SmolLM2-135M-Instruct plays TextCraft, fails, and learns by reward alone, on this
 * machine's processor or GPU. Needs a copy of the model in the browser, which the first task gets.
 */
import { msg, str } from '@lit/localize';
import document from '../../../experiments/lessons/model-learns.json';
import { parseExperiment } from '../../experiment/experiment.ts';
import { downloadBytes, listedModel, withModelName } from '../../models/names.ts';
import { bytes, fixed } from '../kit/format.ts';
import { hasWatchedEpisode, isRunOf, type Lesson, type LessonContext, meanOf } from '../state/lesson.ts';
import { modelAtHand } from '../state/model-at-hand.ts';
import { metricNames } from '../state/series.ts';

const recent = 2;
const gainWanted = 0.3;
const entry = listedModel('smollm2-135m')!;

/** Name of the copy of the model in this browser; null: there is none. */
const copyHere = ({ state: { keptModels, model } }: LessonContext): string | null =>
  modelAtHand({ model: entry.id, repository: entry.repository, precision: 'int8' }, { keptModels, card: model.card });

/** The lesson's experiment beside the copy that is here. */
const experiment = (seen: LessonContext) => withModelName(parseExperiment(document), copyHere(seen));

/** Success minus chance over the last steps; null before the second step. */
function gain({ trained }: LessonContext): number | null {
  if (trained.length < recent) return null;
  const [success, chance] = [metricNames.success, metricNames.chance].map((name) => meanOf(trained, name, recent));
  return success === null || chance === null ? null : success - chance;
}

export const modelLearns: Lesson = {
  id: 'model-learns',
  title: () => msg('A language model learns'),
  aim: () => msg('A real language model that always fails learns a task by reward alone, on this machine.'),
  minutes: 15,
  model: entry.id,
  start: { panel: 'setup' },
  // Its run needs a downloaded model, which no test has.
  claims: [],
  parts: [
    {
      id: 'model',
      title: () => msg('Get the model'),
      text: () => [
        msg(
          str`SmolLM2-135M-Instruct has 135 million parameters. From the hub it is a download of ${bytes(downloadBytes(entry))}; a GGUF file of it on this computer works too (choose Files on this computer). Keep it in 8 bits.`,
        ),
        msg('Open Language model in the setup, look the model up, and download it. A file needs no download.'),
      ],
      where: { panel: 'setup' },
      help: {
        label: () => msg('Open Language model'),
        act: (app) => app.layout.openModelPicker(),
      },
      done: (seen) => copyHere(seen) !== null,
    },
    {
      id: 'fail',
      title: () => msg('See it fail'),
      text: () => [
        msg(
          'The setup now has TextCraft with one craft a task and two turns. Choose Train, let it play its first step, and open one of the episodes in the tab Group.',
        ),
        msg(
          'The first evaluation is nearly 0, below random choice. At temperature 1 the model repeats one action that the world refuses. A step takes half a minute on two cores, and longer if other programs use them.',
        ),
      ],
      experiment,
      where: { panel: 'progress' },
      done: (seen) => isRunOf(seen, document) && seen.trained.length > 0,
    },
    {
      id: 'learn',
      title: () => msg('See it learn'),
      text: () => [
        msg(
          'Continue the training. Temperature 3 makes the tries of a group differ, and DAPO plays another goal where all tries of a group succeed or fail together. Only the world’s reward says what was good; there are no demonstrations.',
        ),
        msg('Success rises within about five steps. You can pause, close the page and come back at any time.'),
      ],
      where: { panel: 'progress' },
      done: (seen) => isRunOf(seen, document) && (gain(seen) ?? 0) >= gainWanted,
      far: (seen) => {
        const above = gain(seen);
        return above === null || !isRunOf(seen, document)
          ? ''
          : msg(str`Success over the last two steps: ${fixed(above)} above chance; needed: ${fixed(gainWanted)}`);
      },
    },
    {
      id: 'watch',
      title: () => msg('Watch it play'),
      text: () => [
        msg('Pause the training and let the model play a task in the tab Watch.'),
        msg('Its weights are unchanged. An adapter of 2.4 million parameters, 5 MB, makes the difference.'),
      ],
      where: { panel: 'stage', tab: 'watch' },
      done: (seen) => isRunOf(seen, document) && seen.trained.length > 0 && hasWatchedEpisode(seen),
    },
  ],
  questions: [
    {
      id: 'signal',
      text: () => msg('Why would the model learn nothing at temperature 1?'),
      choices: [
        {
          text: () => msg('Its tries of one task are alike and all fail, so no try is better than the others.'),
          right: true,
          feedback: () => msg('Yes. Every advantage is 0, and the update is 0 as well.'),
        },
        {
          text: () => msg('The learning rate would be too low.'),
          feedback: () => msg('The temperature does not change the learning rate.'),
        },
        {
          text: () => msg('The world gives no reward at temperature 1.'),
          feedback: () => msg('It does, for a success. But the model has none.'),
        },
      ],
    },
    {
      id: 'judge',
      text: () =>
        msg('Success in training rises from 0.04 to 0.8. What shows that the model did not memorise the goals?'),
      choices: [
        {
          text: () => msg('The number of steps.'),
          feedback: () => msg('A few goals can be memorised in a few steps.'),
        },
        {
          text: () => msg('Success on held-out goals, with its interval, beside chance.'),
          right: true,
          feedback: () =>
            msg('Yes. In the recorded run it was 0.81 [0.64, 0.91] on 31 held-out goals; before training 0 of 31.'),
        },
        {
          text: () => msg('The falling entropy.'),
          feedback: () => msg('Entropy also falls when a policy memorises.'),
        },
      ],
    },
  ],
};
