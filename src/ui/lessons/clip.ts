/**
 * Lesson 7: the clip and the KL term. Several passes over the same episodes, with a clip, without a clip, and with a KL
 * penalty.
 */
import { msg, str } from '@lit/localize';
import narrow from '../../../experiments/lessons/clip.json';
import priced from '../../../experiments/lessons/clip-kl.json';
import wide from '../../../experiments/lessons/clip-wide.json';
import { stepCount } from '../kit/counts.ts';
import { compact, percent } from '../kit/format.ts';
import { type Curve, isRunOf, type Lesson, type LessonContext, meanOf } from '../state/lesson.ts';
import { metricNames } from '../state/series.ts';

const enough = 8;

const clippedShare = ({ trained }: LessonContext) =>
  (meanOf(trained, metricNames.clipLow) ?? 0) + (meanOf(trained, metricNames.clipHigh) ?? 0);

const progressNote = (seen: LessonContext) =>
  seen.trained.length
    ? msg(
        str`${stepCount(seen.trained.length)}: ${percent(clippedShare(seen))} of the tokens clipped, KL ${compact(meanOf(seen.trained, metricNames.kl, 4))}`,
      )
    : '';

const clipped = (run: unknown): Curve => ({ run, of: metricNames.clipHigh, steps: [1, -1] });
const distance = (run: unknown): Curve => ({ run, of: metricNames.kl, steps: [-4, -1] });

export const clip: Lesson = {
  id: 'clip',
  title: () => msg('The clip and the KL'),
  aim: () => msg('Two limits on how far the policy moves: the clip in each step, and the KL term over the whole run.'),
  minutes: 8,
  experiment: narrow,
  start: { panel: 'stage', tab: 'watch' },
  claims: [
    { text: 'With the clip some tokens reach it.', high: clipped(narrow), low: 0.005 },
    { text: 'Without it hardly any does.', high: 0.001, low: clipped(wide) },
    { text: 'Without a clip the policy moves further.', high: distance(wide), low: distance(narrow) },
    { text: 'With a penalty it stays closer.', high: distance(narrow), low: distance(priced) },
  ],
  parts: [
    {
      id: 'clip',
      title: () => msg('With a clip'),
      text: () => [
        msg(
          'This run trains four times on the same episodes. In the first pass the policy is still the one that sampled them, so every ratio is 1. After that the policy has changed, and some tokens reach the clip at 0.8 or 1.2.',
        ),
        msg(
          'Choose Train, wait for eight steps, and look at the chart Gradient and clipping. It shows the share of clipped tokens.',
        ),
      ],
      experiment: narrow,
      where: { panel: 'progress' },
      done: (seen) => isRunOf(seen, narrow) && seen.trained.length >= enough && clippedShare(seen) > 0.005,
      far: progressNote,
    },
    {
      id: 'wide',
      title: () => msg('Without a clip'),
      text: () => [
        msg(
          'The same run, the same seed, and bounds so wide that hardly any token reaches them. Choose Train, and wait for eight steps.',
        ),
        msg(
          'Now an update can push a token on even if its probability has already changed a lot. The four passes change the policy more, and the sampled episodes represent it less and less.',
        ),
      ],
      experiment: wide,
      where: { panel: 'progress' },
      done: (seen) => isRunOf(seen, wide) && seen.trained.length >= enough,
      far: progressNote,
    },
    {
      id: 'kl',
      title: () => msg('With a KL penalty'),
      text: () => [
        msg(
          'The clip limits each step. The KL term covers the whole run: it is a penalty on the distance from the policy at the start. Here the penalty is 0.3 per nat.',
        ),
        msg(
          'Choose Train, wait for eight steps, and compare the line KL with the lines of the two earlier runs. You can open them in the drawer Runs.',
        ),
      ],
      experiment: priced,
      where: { panel: 'progress' },
      done: (seen) => isRunOf(seen, priced) && seen.trained.length >= enough,
      far: progressNote,
    },
  ],
  questions: [
    {
      id: 'one',
      text: () =>
        msg(
          'A run makes a single pass over each step’s episodes, in one batch. How many tokens does the clip hold back?',
        ),
      choices: [
        {
          text: () => msg('About as many as with four passes.'),
          feedback: () => msg('In a first pass the policy has not moved yet.'),
        },
        {
          text: () => msg('None: every ratio is 1 when its only pass begins.'),
          right: true,
          feedback: () =>
            msg(
              'Yes. The clip matters in later passes, and where the sampler and the trainer compute different probabilities.',
            ),
        },
        {
          text: () => msg('All tokens with a negative advantage.'),
          feedback: () => msg('The sign of the advantage decides which bound applies, not whether a token reaches it.'),
        },
      ],
    },
    {
      id: 'price',
      text: () => msg('What is the disadvantage of a high KL penalty?'),
      choices: [
        {
          text: () => msg('The policy learns less: if it must stay close to its start, it cannot become much better.'),
          right: true,
          feedback: () =>
            msg(
              'Yes. Random weights are not worth staying close to. A language model is different: it can write from the start.',
            ),
        },
        {
          text: () => msg('None: it only makes training more stable.'),
          feedback: () =>
            msg('The penalty competes with the reward: a change has to earn more reward than its KL costs.'),
        },
        {
          text: () => msg('Entropy falls: the policy makes the same choices again and again.'),
          feedback: () =>
            msg('The opposite is true here: the policy stays close to its start, whose choices are nearly uniform.'),
        },
      ],
    },
  ],
};
