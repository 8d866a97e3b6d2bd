/**
 * Lesson 11: a language model with an adapter. Frozen weights in four bits and a small trained adapter. Reads a
 * recorded run, since training such a model needs a GPU; with a GPU, the same training can be set up in Setup.
 */
import { msg, str } from '@lit/localize';
import { adapterRun } from '../control/shipped-runs.ts';
import { fixed } from '../kit/format.ts';
import { type Curve, evaluated, type Lesson, type LessonContext, openTrajectory } from '../state/lesson.ts';
import { metricNames } from '../state/series.ts';

/** The first step that a chart of the recording leads to: the first whose episodes are in its file. */
const firstKept = 20;

const isRecording = ({ state }: LessonContext) => state.run?.name.startsWith(adapterRun.title) ?? false;

const recorded = (metric: string, from: number, to: number): Curve => ({
  run: adapterRun.path,
  of: metric,
  steps: [from, to],
});

export const languageModel: Lesson = {
  id: 'language-model',
  title: () => msg('A language model with an adapter'),
  aim: () =>
    msg('How to train a model that does not fit into memory: frozen weights in few bits, and a small adapter.'),
  minutes: 7,
  start: { panel: 'stage', tab: 'watch' },
  claims: [
    {
      text: 'From the first steps on, success is far above chance.',
      high: { ...recorded(metricNames.success, 1, 10), minus: metricNames.chance },
      low: 0.15,
    },
    {
      text: 'Success on training goals rises.',
      high: recorded(metricNames.success, -20, -1),
      low: recorded(metricNames.success, 1, 20),
      by: 0.03,
    },
    {
      text: 'The intervals of the first and the last evaluation overlap.',
      high: recorded('test.policy.high', 0, 0),
      low: recorded('test.policy.low', -1, -1),
    },
  ],
  parts: [
    {
      id: 'open',
      title: () => msg('Open the recorded run'),
      text: () => [
        msg(
          'A language model of half a billion parameters needs a GPU and a download of a gigabyte. So this lesson reads a recorded run, made by the same program.',
        ),
        msg(
          'The recorded model is small: a policy of 0.18 million parameters. It first imitated the oracle and was then frozen in four bits; GRPO trained a LoRA adapter of rank 16 for 120 steps. It stands in for a language model: it knows less, but it is trained in the same way.',
        ),
      ],
      help: {
        label: () => msg('Open the recorded run'),
        act: (app) => app.library.openShipped(adapterRun.path, adapterRun.title),
      },
      done: isRecording,
    },
    {
      id: 'start',
      title: () => msg('See that it does not start at chance'),
      text: () => [
        msg(
          'Choose step 20 on the chart Success, the first whose episodes are stored. From the first step on, success is far above the dashed line, because the frozen weights can already solve tasks.',
        ),
        msg(
          'A language model is different in this way: reinforcement improves skills that it already has. So the learning rate is small, and a KL penalty keeps the policy close to its start.',
        ),
      ],
      where: { panel: 'progress' },
      done: (seen) => isRecording(seen) && seen.state.selection.step !== null && seen.state.selection.step <= firstKept,
    },
    {
      id: 'read',
      title: () => msg('Read one of its episodes'),
      text: () => [
        msg(
          'Open the tab Group, then one of the episodes. Episodes are stored for every twentieth step and for the last five.',
        ),
        msg(
          'The tokens look the same. The difference is inside: each layer has a frozen matrix W in four bits and two thin matrices, B and A, whose product is added: W x + (α / r) B A x.',
        ),
      ],
      where: { panel: 'stage', tab: 'group' },
      done: (seen) => isRecording(seen) && openTrajectory(seen) !== null,
    },
    {
      id: 'result',
      title: () => msg('Judge the result'),
      text: () => [
        msg(
          'Choose the last step, 120, and compare the first and the last evaluation in the table of the chart Success, with their intervals.',
        ),
        msg(
          'On held-out goals the intervals overlap. Success on training goals rose; this run does not show that the policy learnt more than that. An honest report says so.',
        ),
      ],
      where: { panel: 'progress' },
      done: (seen) => isRecording(seen) && seen.state.selection.step === 120,
      far: (seen) => {
        const [first, last] = [seen.state.records[0]?.evaluation?.test.policy, evaluated(seen.trained)?.test.policy];
        if (!isRecording(seen) || !first || !last) return '';
        return msg(
          str`Held-out goals: ${fixed(first.rate)} [${fixed(first.low)}, ${fixed(first.high)}] at the start, ${fixed(last.rate)} [${fixed(last.low)}, ${fixed(last.high)}] at the end`,
        );
      },
    },
  ],
  questions: [
    {
      id: 'why',
      text: () => msg('Why is only an adapter trained, and not the whole language model?'),
      choices: [
        {
          text: () =>
            msg(
              'Because frozen weights in four bits, without gradients and optimiser state, take a small part of the memory.',
            ),
          right: true,
          feedback: () =>
            msg(
              'Yes. Each trained parameter needs a gradient and two optimiser moments in full precision; a frozen parameter needs half a byte.',
            ),
        },
        {
          text: () => msg('Because an adapter learns better.'),
          feedback: () => msg('At best it learns equally well. The reason is memory.'),
        },
        {
          text: () => msg('Because the licence of the model forbids changing it.'),
          feedback: () => msg('Most open models may be fine-tuned. The reason is memory.'),
        },
      ],
    },
    {
      id: 'reference',
      text: () =>
        msg('The KL compares the policy with the original model. How much memory does that take with an adapter?'),
      choices: [
        {
          text: () => msg('A second copy of the model.'),
          feedback: () => msg('That is what full training needs.'),
        },
        {
          text: () => msg('Nothing: the reference is the same weights with the adapter off.'),
          right: true,
          feedback: () => msg('Yes, only a second pass.'),
        },
        {
          text: () => msg('A second copy of the adapter.'),
          feedback: () => msg('The reference is the start, and there the adapter adds nothing.'),
        },
      ],
    },
  ],
};
