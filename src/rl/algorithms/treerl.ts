/**
 * TreeRL's credit (Hou et al. 2025, https://arxiv.org/abs/2506.11902, section 3.3), with turns as the tree's steps: the
 * value of a turn's branch above the value of the whole tree (global), and above the value of the state it was taken in
 * (local), over the root of the number of episodes that share it. Its tree search is an option of sampling
 * (`sampling.branchedEpisodes`); without it the tree is made of what episodes have in common by chance.
 */
import * as v from 'valibot';
import { option, real, toggle } from '../../fields/fields.ts';
import { symbol } from '../common/formula.ts';
import { groupIndices, mean } from '../common/numbers.ts';
import { rowsOf } from '../common/token-rows.ts';
import { hasSignal } from '../credit/groups.ts';
import { branchPaths, groupTree } from '../credit/tree.ts';
import type { Algorithm, Credit, CreditInput } from './algorithm.ts';
import { advantageCard, clippedCard, policyCards } from './cards.ts';
import { corrected, counterpartName, policyGradient } from './group-relative.ts';
import { policyFields } from './pieces.ts';

const schema = v.strictObject({
  name: v.literal('treerl'),
  ...policyFields({ clip: [0.2, 0.2, null], aggregation: 'token-mean' }),
  localWeight: option(real(0, 10), 1, {
    label: 'Weight of the branch',
    sentence: 'Weight of the comparison of a branch with its siblings, relative to the comparison with the whole tree.',
    step: 0.1,
    level: 'basic',
  }),
  divideByRoot: option(toggle(), true, {
    label: 'Divide by shared episodes',
    sentence: 'Divide the advantage of a turn by the square root of the number of episodes that share it.',
  }),
});
type Settings = v.InferOutput<typeof schema>;

function treeCredit({ rows, returns, trajectories }: CreditInput, { localWeight, divideByRoot }: Settings): Credit {
  const advantages = new Float64Array(rowsOf(rows));
  const groups = groupIndices(rows.group);
  let withoutSignal = 0;
  let [turns, atBranches] = [0, 0];
  for (const members of groups) {
    const own = members.map((b) => returns[b]);
    const kept = own.filter((value) => !Number.isNaN(value));
    if (!hasSignal(kept)) {
      withoutSignal += 1;
      continue;
    }
    const root = mean(kept);
    const states = groupTree(
      members.map((b) => trajectories[b]),
      own,
    );
    branchPaths(states, members.length).forEach((path, member) => {
      const b = members[member];
      const credit = path.map(
        ({ value, advantage, members: shared }) =>
          (value - root + localWeight * advantage) / (divideByRoot ? Math.sqrt(shared.length) : 1),
      );
      turns += path.length;
      atBranches += path.filter(({ advantage }) => advantage !== 0).length;
      for (let i = rows.offsets[b]; i < rows.offsets[b + 1]; i++) advantages[i] = credit[rows.turn[i]] ?? 0;
    });
  }
  return {
    advantages,
    groups: groups.length,
    withoutSignal,
    metrics: { branchCredit: atBranches / Math.max(1, turns) },
  };
}

const treeCard = advantageCard(
  'tree',
  'The group as a tree: V is the mean return of the episodes through a branch, through the state before it, and of the whole group; n episodes share the branch.',
  {
    over: [
      symbol('V', undefined, { sub: 'a' }),
      '−',
      symbol('V', undefined, { sub: 'x' }),
      '+',
      symbol('λ', 'setting.localWeight'),
      '(',
      symbol('V', undefined, { sub: 'a' }),
      '−',
      symbol('V', undefined, { sub: 's' }),
      ')',
    ],
    under: ['√', symbol('n')],
  },
);
/** Difference from the counterparts in other trainers. */
const nearest = 'The group is not read as a tree: every token has the credit of its whole episode.';

export const treerl = {
  name: 'treerl',
  label: 'TreeRL',
  sentence:
    'Reads a group as a tree: credit of a turn is the value of its branch, above the whole tree and above its siblings.',
  source: ['https://arxiv.org/abs/2506.11902'],
  schema,
  cards: (settings) => policyCards(treeCard, clippedCard(settings)),
  ...policyGradient,
  credit: (input, settings) => corrected(treeCredit(input, settings), input, settings.correction),
  counterparts: {
    verl: { name: counterpartName, set: { 'algorithm.norm_adv_by_std_in_grpo': false }, differs: [nearest] },
    'agentgym-rl': { name: counterpartName, differs: [nearest] },
    trl: { name: counterpartName, set: { scale_rewards: 'none' }, differs: [nearest] },
  },
} satisfies Algorithm<Settings>;
