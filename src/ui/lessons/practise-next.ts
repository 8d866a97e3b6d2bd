/** Lesson 14: which goals to practise next. A rule draws a family of goals by its success. */
import { msg, str } from '@lit/localize';
import experiment from '../../../experiments/lessons/practise-next.json';
import { goalMetric } from '../../rl/metrics/metrics.ts';
import { strataOf } from '../../rl/schedule/tasks.ts';
import { stepCount } from '../kit/counts.ts';
import { percent } from '../kit/format.ts';
import {
  answered,
  type Claim,
  type Curve,
  indexOfLargest,
  type Lesson,
  type LessonContext,
  meanOf,
} from '../state/lesson.ts';
import { showsEpisodes } from '../state/selection.ts';

/** Steps of imitation, and of the whole run. */
const [imitated, all] = [experiment.stages[0].steps, experiment.steps];
/** Last steps of the run, over which shares are compared. */
const late = 10;

/** Families by what the policy makes of them after imitation. */
const families = {
  certain: 'babyai, level 4',
  frequent: 'babyai, level 1',
  even: 'babyai, level 5',
  rare: 'babyai, level 36',
} as const;

const kinds = [
  { family: families.certain, text: () => msg('Level 4, which nearly always succeeds') },
  { family: families.frequent, text: () => msg('Level 1, which succeeds four times of five') },
  { family: families.even, text: () => msg('Level 5, which succeeds two times of five') },
  { family: families.rare, text: () => msg('Level 36, which hardly ever succeeds') },
] as const;

const curve = (what: 'share' | 'success', family: string, from = -late, to = -1): Curve => ({
  run: experiment,
  of: goalMetric(what, family),
  steps: [from, to],
});

const claims: readonly Claim[] = [
  {
    text: 'At the first step of reward all levels have the same share.',
    high: curve('share', families.certain, imitated + 1, imitated + 1),
    low: curve('share', families.even, imitated + 1, imitated + 1),
  },
  {
    text: 'Level 4 nearly always succeeds.',
    high: curve('success', families.certain),
    low: 0.9,
  },
  {
    text: 'Level 36 hardly ever succeeds.',
    high: 0.25,
    low: curve('success', families.rare),
  },
  {
    text: 'Level 5 is drawn more than level 1, which succeeds more often.',
    high: curve('share', families.even),
    low: curve('share', families.frequent),
    by: 0.1,
  },
  {
    text: 'Level 5 is drawn more than level 36, which is harder.',
    high: curve('share', families.even),
    low: curve('share', families.rare),
    by: 0.15,
  },
  {
    text: 'Level 4 gets little more than its share of the exploration.',
    high: 0.12,
    low: curve('share', families.certain),
  },
];

const isTrained = ({ trained }: LessonContext) => trained.length >= all;

/** Mean share of a family's draws over the last steps. */
const shareOf = ({ trained }: LessonContext, family: string) => meanOf(trained, goalMetric('share', family), late) ?? 0;
const shareText = (seen: LessonContext, family: string) => percent(shareOf(seen, family));

export const practiseNext: Lesson = {
  id: 'practise-next',
  title: () => msg('What to practise next'),
  aim: () => msg('A group teaches only where it sometimes succeeds and sometimes fails, so practice goes there.'),
  minutes: 6,
  experiment,
  start: { panel: 'stage', tab: 'watch' },
  claims,
  parts: [
    {
      id: 'predict',
      title: () => msg('Guess the schedule'),
      text: () => [
        msg(
          'The policy imitates a few demonstrations of four levels of BabyAI and then learns by reward. After imitation the levels differ: one nearly always succeeds, one four times of five, one two times of five, and one hardly ever.',
        ),
        msg('A rule decides which level is practised. It knows nothing of the levels but the episodes so far.'),
      ],
      ask: {
        text: () => msg('Which level will be drawn most at the end?'),
        choices: kinds,
        outcome: (seen) => (isTrained(seen) ? indexOfLargest(kinds.map(({ family }) => shareOf(seen, family))) : null),
        result: (seen) =>
          isTrained(seen)
            ? msg(
                str`Shares of the draws over the last ten steps: level 4 ${shareText(seen, families.certain)}, level 1 ${shareText(seen, families.frequent)}, level 5 ${shareText(seen, families.even)}, level 36 ${shareText(seen, families.rare)}`,
              )
            : '',
      },
      done: answered('practise-next', 'predict'),
    },
    {
      id: 'train',
      title: () => msg('Let the rule choose'),
      text: () => [
        msg('Choose Train. After fifteen steps of imitation the rule begins, with the same share for every level.'),
        msg(
          'Below the charts, each tile of the map is a level: the more draws, the larger its area, and its color is its success. The table has the same numbers.',
        ),
      ],
      where: { panel: 'progress' },
      done: isTrained,
      far: ({ trained }) => (trained.length ? stepCount(trained.length) : ''),
    },
    {
      id: 'read',
      title: () => msg('Open an episode of the frontier'),
      text: () => [
        msg(
          'In a group in which all episodes succeed, or all fail, every advantage is 0 and nothing is learnt. With success p, the returns of a group differ most at p (1 − p) = ¼, that is at p = ½: this is the frontier, and the rule draws by this number.',
        ),
        msg(
          'Choose the tile of level 5: it leads to one of its episodes. In the tab Group you see how many of its group succeeded.',
        ),
      ],
      where: { panel: 'progress' },
      // The tile opens a group; its first episode is the selected one.
      done: ({ state, place: { trajectory } }) => {
        if (trajectory === null || !showsEpisodes(state.selection.tab)) return false;
        return strataOf(trajectory.task).some((each) => families.even.endsWith(`, ${each}`));
      },
    },
  ],
  questions: [
    {
      id: 'mastered',
      text: () => msg('Level 4 nearly always succeeds. Why does the rule still draw it now and then?'),
      choices: [
        {
          text: () => msg('So that it would notice if the policy forgot the level.'),
          right: true,
          feedback: () => msg('Yes. A fifth of the draws goes to all levels alike, whatever their success.'),
        },
        {
          text: () => msg('Because its episodes teach the most.'),
          feedback: () => msg('Its groups succeed as a whole, so that their advantages are 0.'),
        },
        {
          text: () => msg('Because a training has to end with successes.'),
          feedback: () => msg('The last steps matter as much as the others. A group without failures changes nothing.'),
        },
      ],
    },
    {
      id: 'hardest',
      text: () => msg('What would happen if the hardest level were always practised?'),
      choices: [
        {
          text: () => msg('The policy would learn fastest, because hard tasks teach the most.'),
          feedback: () => msg('Only those that sometimes succeed. Level 36 hardly ever does.'),
        },
        {
          text: () => msg('Most groups would fail as a whole, and teach nothing.'),
          right: true,
          feedback: () =>
            msg('Yes. Other ways help there: more turns, demonstrations, or parts of the task as goals of their own.'),
        },
        {
          text: () => msg('The same as with any order: each episode counts equally.'),
          feedback: () => msg('An episode counts by its advantage, and that is 0 where all of a group fail.'),
        },
      ],
    },
  ],
};
