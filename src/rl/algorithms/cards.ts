/** Explanations of methods: a few cards, each a sentence and a formula in the field's notation. Those of one method are in its module. */
import { type Card, type Formula, type Source, symbol } from '../common/formula.ts';
import type { Baseline } from '../credit/groups.ts';
import type { KlEstimator } from '../objective/kl.ts';

const state = symbol('s', 'token.context', { sub: 't', keeps: true });
const action: Formula = symbol('a', undefined, { sub: 't' });

/** The policy's probability of the token: pi(a | s). */
export function chance(sub: string, of?: Source): Formula {
  const policy = symbol('π', of, { sub });
  const whole: Formula = [symbol('π', undefined, { sub }), '(', action, '|', symbol('s', undefined, { sub: 't' }), ')'];
  return of ? { whole, as: policy } : whole;
}

const observe: Card = {
  id: 'observe',
  part: 'observe',
  title: 'Observe',
  sentence:
    'The policy reads the conversation so far as tokens: the task x, its own actions a and the world’s answers o.',
  formula: [
    state,
    '=',
    '(',
    symbol('x'),
    ',',
    symbol('a', undefined, { sub: '1' }),
    ',',
    symbol('o', undefined, { sub: '1' }),
    ',',
    '…',
    ',',
    symbol('o', undefined, { sub: 't−1' }),
    ')',
  ],
};

const temperature = symbol('T', 'experiment.sampling.temperature');

const act: Card = {
  id: 'act',
  part: 'act',
  title: 'Act',
  sentence:
    'It gives every allowed token a score z; the softmax turns scores into probabilities, and one token is drawn.',
  formula: [
    chance('θ', 'token.probability'),
    '=',
    {
      over: {
        power: 'e',
        to: [symbol('z', undefined, { sub: 'a' }), '/', temperature],
      },
      under: [
        { big: '∑', below: ['b', '∈', symbol('𝒜', 'token.allowed', { keeps: true })] },
        { power: 'e', to: [symbol('z', undefined, { sub: 'b' }), '/', temperature] },
      ],
    },
  ],
};

const reward: Card = {
  id: 'reward',
  part: 'reward',
  title: 'Reward',
  sentence:
    "The world gives its reward at the end: an episode's return is the reward of its last turn, adjusted by the experiment's rule for its ending.",
  formula: [symbol('R', 'episode.return', { sub: 'i' }), '=', symbol('r', 'episode.lastReward', { sub: 'T' })],
};

/** Observation, action and reward are the same for every learning method. */
export const playCards: readonly Card[] = [observe, act, reward];

const meanOfGroup: Formula = symbol('μ', 'group.mean');
const spreadOfGroup: Formula = symbol('σ', 'group.std');
const sizeOfGroup: Formula = symbol('G', 'group.size');
const returnOf: Formula = symbol('R', 'episode.return', { sub: 'i' });
const eachReturn: Formula = symbol('R', undefined, { sub: 'j' });
const sumOver = (below: Formula): Formula => ({ big: '∑', below });

export const groupCard: Card = {
  id: 'group',
  part: 'group',
  title: 'Group',
  sentence:
    'The same task is played G times. The mean of the returns is the expected return, and the spread measures how much the tries differ.',
  formula: {
    lines: [
      [meanOfGroup, '=', { over: '1', under: sizeOfGroup }, sumOver('j'), eachReturn],
      [
        { power: spreadOfGroup, to: '2' },
        '=',
        { over: '1', under: [sizeOfGroup, '−', '1'] },
        sumOver('j'),
        { power: ['(', eachReturn, '−', meanOfGroup, ')'], to: '2' },
      ],
    ],
  },
};

const advantageSymbol = symbol('A', 'token.advantage', { sub: 'i,t' });

const groupAdvantages: { readonly [baseline in Baseline]: Pick<Card, 'sentence' | 'formula'> } = {
  'mean-std': {
    sentence:
      "The episode's return minus the group's mean, in units of the spread. All tokens of the episode share it. If all returns are equal, it is 0 and nothing is learnt.",
    formula: [
      advantageSymbol,
      '=',
      { over: [returnOf, '−', meanOfGroup], under: [spreadOfGroup, '+', symbol('ε', 'setting.advantageEpsilon')] },
    ],
  },
  none: {
    sentence: 'The return itself: nothing is compared with it. All tokens of the episode carry it.',
    formula: [advantageSymbol, '=', returnOf],
  },
  mean: {
    sentence: "The episode's return above the mean of its group. All its tokens carry it.",
    formula: [advantageSymbol, '=', returnOf, '−', meanOfGroup],
  },
  'leave-one-out': {
    sentence: "The episode's return above the mean of the others of its group. All its tokens carry it.",
    formula: [
      advantageSymbol,
      '=',
      returnOf,
      '−',
      {
        whole: [{ over: '1', under: [sizeOfGroup, '−', '1'] }, sumOver(['j', '≠', 'i']), eachReturn],
        as: symbol('μ', 'group.others', { sub: '−i' }),
      },
    ],
  },
};

export const groupAdvantageCard = (baseline: Baseline): Card => ({
  id: `advantage.${baseline}`,
  part: 'advantage',
  title: 'Advantage',
  ...groupAdvantages[baseline],
});

/** `where`: further lines that define the symbols of the first. */
export const advantageCard = (id: string, sentence: string, formula: Formula, ...where: Formula[]): Card => ({
  id: `advantage.${id}`,
  part: 'advantage',
  title: 'Advantage',
  sentence,
  formula: { lines: [[advantageSymbol, '=', formula], ...where] },
});

interface ClippedTerms {
  clipLow: number;
  clipHigh: number;
  kl: { estimator: KlEstimator; coefficient: number };
  entropy: number;
}

const penalties = ({ kl, entropy }: Pick<ClippedTerms, 'kl' | 'entropy'>): Formula[] => [
  ...(kl.coefficient ? ['+', symbol('β', 'setting.kl.coefficient'), symbol('KL', 'metric.kl')] : []),
  ...(entropy ? ['−', symbol('c', 'setting.entropy'), symbol('H', 'metric.entropy')] : []),
];

const ratio = symbol('ρ', 'token.ratio', { sub: 't' });
const clippedRatio: Formula = symbol('ρ̂', undefined, { sub: 't' });
const advantageOf = symbol('A', 'token.advantage');
const ratioLine: Formula = [ratio, '=', { over: chance('θ', 'token.now'), under: chance('old', 'token.was') }];
const clipLine: Formula = [
  clippedRatio,
  '=',
  'clip',
  '(',
  ratio,
  ',',
  '1',
  '−',
  symbol('ε', 'setting.clipLow', { sub: 'low' }),
  ',',
  '1',
  '+',
  symbol('ε', 'setting.clipHigh', { sub: 'high' }),
  ')',
];
const surrogate: Formula = ['−', 'min', '(', ratio, advantageOf, ',', clippedRatio, advantageOf, ')'];

const clippedLines = (settings: ClippedTerms): Formula[] => [
  ['ℒ', '=', surrogate, ...penalties(settings)],
  clipLine,
  ratioLine,
];

export const clippedCard = (settings: ClippedTerms): Card => ({
  id: 'objective.clipped',
  part: 'objective',
  title: 'Objective',
  sentence:
    "The ratio is the token's probability now divided by its probability when sampled. Beyond the clip bound the gradient is zero, so one step cannot go too far.",
  formula: { lines: clippedLines(settings) },
});

export const sequenceRatioCard = (settings: ClippedTerms): Card => ({
  id: 'objective.sequence',
  part: 'objective',
  title: 'Objective',
  sentence:
    'One ratio for the whole episode, the geometric mean of its tokens’: the episode is inside the clip or out of it as a whole.',
  formula: {
    lines: [
      ['ℒ', '=', '−', 'min', '(', symbol('s'), advantageOf, ',', symbol('ŝ'), advantageOf, ')', ...penalties(settings)],
      [
        symbol('s'),
        '=',
        {
          power: ['(', { big: '∏', below: 't' }, { ...ratio, keeps: true }, ')'],
          to: ['1', '/', symbol('n', 'episode.tokens')],
        },
      ],
      ratioLine,
    ],
  },
});

export const clippedWeightCard = (settings: ClippedTerms): Card => ({
  id: 'objective.weight',
  part: 'objective',
  title: 'Objective',
  sentence: 'The weight is clipped, not the token: every token keeps a gradient of bounded size.',
  formula: {
    lines: [
      [
        'ℒ',
        '=',
        '−',
        'sg',
        '[',
        clippedRatio,
        ']',
        advantageOf,
        'log',
        chance('θ', 'token.now'),
        ...penalties(settings),
      ],
      clipLine,
      ratioLine,
    ],
  },
});

export const objectiveCard = (id: string, sentence: string, formula: Formula): Card => ({
  id: `objective.${id}`,
  part: 'objective',
  title: 'Objective',
  sentence,
  formula,
});

export const updateCard: Card = {
  id: 'update',
  part: 'update',
  title: 'Update',
  sentence:
    'Each token contributes to the gradient g with its weight w. AdamW scales the gradient, and the learning rate sets the step size.',
  formula: {
    lines: [
      [
        'θ',
        '←',
        'θ',
        '−',
        symbol('η', 'metric.learningRate'),
        'AdamW',
        '(',
        symbol('g', 'metric.gradNorm', { keeps: true }),
        ')',
      ],
      ['g', '=', sumOver('t'), symbol('w', 'token.weight', { sub: 't', keeps: true }), '∇', 'log', chance('θ')],
      ['‖', 'Δ', 'θ', '‖', '=', symbol('d', 'weights.change')],
    ],
  },
};

/**
 * Cards of a method with a clipped ratio: only the advantage, and sometimes the objective, is specific to the method.
 */
export const policyCards = (
  advantage: Card,
  objective: Card,
  group: readonly Card[] = [groupCard],
): readonly Card[] => [...playCards, ...group, advantage, objective, updateCard];

/** Imitation has no comparison: it raises the probability of the kept episodes. */
export const likelihoodCards = (id: string, sentence: string): readonly Card[] => [
  ...playCards,
  advantageCard(id, sentence, '1'),
  objectiveCard(
    'likelihood',
    'The mean negative log-probability of the tokens: the less likely a token was, the larger its gradient.',
    ['ℒ', '=', '−', 'log', chance('θ', 'token.now')],
  ),
  updateCard,
];

/** Cards of a method without cards of its own. */
export const plainCards: readonly Card[] = [
  ...playCards,
  advantageCard('own', 'Advantage that this method’s credit assigns to the token.', symbol('A', 'token.advantage')),
  updateCard,
];
