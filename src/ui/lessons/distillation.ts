/** Lesson 17: distillation. A teacher's probabilities on the student's own moves, beside its deeds and beside reward. */
import { msg, str } from '@lit/localize';
import experiment from '../../../experiments/lessons/distillation.json';
import { percent } from '../kit/format.ts';
import { answered, type Claim, type Curve, type Lesson, type LessonContext, openTrajectory } from '../state/lesson.ts';
import { heldOutOf, isSweepTrained, openVariant, sweepProgress } from './sweep.ts';

const variants = [
  { name: 'Distillation', text: () => msg('Distillation: the policy plays, the teacher rates each of its moves') },
  { name: 'Imitation', text: () => msg('Imitation: the teacher plays, the policy copies') },
  { name: 'Reward alone', text: () => msg('Reward alone: the policy plays, and learns only who reached the goal') },
] as const;

type Name = (typeof variants)[number]['name'];

const { steps } = experiment;
const of = (variant: Name, metric: string, from = steps, to = steps): Curve => ({
  run: experiment,
  variant,
  of: metric,
  steps: [from, to],
});
const heldOut = 'test.policy.rate';

const claims: readonly Claim[] = [
  {
    text: 'Distillation leads far above chance.',
    high: { ...of('Distillation', heldOut), minus: 'test.chance.rate' },
    low: 0.2,
  },
  {
    text: 'It leads above reward alone.',
    high: of('Distillation', heldOut),
    low: of('Reward alone', heldOut),
    by: 0.15,
  },
  {
    text: 'Imitation leads further than distillation.',
    high: of('Imitation', heldOut),
    low: of('Distillation', heldOut),
    by: 0.15,
  },
  {
    text: 'The policy comes nearer to its teacher.',
    high: of('Distillation', 'teacherKl', 1, 5),
    low: of('Distillation', 'teacherKl', steps - 4, steps),
    by: 0.3,
  },
];

const isTrained = (seen: LessonContext) => isSweepTrained(seen, experiment);

function result(seen: LessonContext): string {
  if (!isTrained(seen)) return '';
  const [distilled, imitated, rewarded] = variants.map(({ name }) => percent(heldOutOf(seen, name) ?? 0));
  return msg(str`Held-out mazes solved: distillation ${distilled}, imitation ${imitated}, reward alone ${rewarded}`);
}

export const distillation: Lesson = {
  id: 'teacher',
  title: () => msg('A teacher’s probabilities'),
  aim: () => msg('On-policy distillation: the policy plays, and a teacher rates each of its moves.'),
  minutes: 7,
  experiment,
  start: { panel: 'stage', tab: 'watch' },
  claims,
  parts: [
    {
      id: 'predict',
      title: () => msg('Predict the order'),
      text: () => [
        msg(
          'The setup has a sweep of three runs: the same small policy with random weights in the same mazes of 3 by 3 rooms, for fifty steps. They differ in what they learn from.',
        ),
        msg(
          'In distillation each move of the policy has its own credit: the log-probability that the teacher gives to it, minus the policy’s own. The mean of this credit is minus the reverse KL between the two. The teacher is the oracle, which gives its own move 92.5% and each other one 2.5%.',
        ),
      ],
      ask: {
        text: () => msg('Which run will solve most held-out mazes at the end?'),
        choices: variants,
        result,
      },
      done: answered('teacher', 'predict'),
    },
    {
      id: 'sweep',
      title: () => msg('Train the three'),
      text: () => [
        msg('Choose Train: the runs train alternately. Each is evaluated on held-out mazes at its last step.'),
        msg(
          'Imitation plays no episodes of its own, so its curve of success has only evaluations. It has twice as many tasks a step, so that all runs take about the same number of operations.',
        ),
      ],
      where: { panel: 'progress' },
      done: isTrained,
      far: sweepProgress,
    },
    {
      id: 'failed',
      title: () => msg('Open an episode that fails'),
      text: () => [
        msg(
          'Distillation solves several times as many mazes as reward alone: at the start hardly any episode reaches the goal, so a reward says nothing, while the teacher rates every move. It solves fewer than imitation. This oracle names the right move, and copying it raises its probability at once; the reverse KL learns only from the move that the policy happened to take.',
        ),
        msg(
          'Open the run “Distillation” and an episode that does not reach the goal. All its moves were rated, the right ones too.',
        ),
      ],
      where: { panel: 'stage', tab: 'group' },
      help: {
        label: () => msg('Open the run “Distillation”'),
        act: openVariant('Distillation'),
      },
      done: (seen) => seen.state.run?.sweep !== undefined && openTrajectory(seen)?.success === false,
    },
  ],
  questions: [
    {
      id: 'states',
      text: () => msg('In which situations does the teacher rate a move in on-policy distillation?'),
      choices: [
        {
          text: () => msg('In those that the policy reached by itself, mistakes included.'),
          right: true,
          feedback: () =>
            msg('Yes. Imitation shows only situations that the teacher reached, and the policy strays from them.'),
        },
        {
          text: () => msg('In those that the teacher reached.'),
          feedback: () => msg('That is imitation: the teacher plays.'),
        },
        {
          text: () => msg('Only in those of successful episodes.'),
          feedback: () => msg('Success does not matter for it: failed episodes are rated move by move too.'),
        },
      ],
    },
    {
      id: 'when',
      text: () => msg('When would you expect distillation to gain on imitation?'),
      choices: [
        {
          text: () =>
            msg('When the teacher’s probabilities say more than its single move, as those of a large language model.'),
          right: true,
          feedback: () =>
            msg(
              'Yes, that is the case in which the recipe is known. This oracle’s probabilities only repeat its move.',
            ),
        },
        {
          text: () => msg('Whenever there is a reward.'),
          feedback: () => msg('Neither of the two uses the reward here.'),
        },
        {
          text: () => msg('Never: deeds always teach more.'),
          feedback: () => msg('One run in one world cannot show that. It shows this teacher in this maze.'),
        },
      ],
    },
  ],
};
