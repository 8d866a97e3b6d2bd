/** `npm run check-world -- FILE.js`: plays a typed world and reports what would keep a policy from learning it. */
import { Command } from 'commander';
import { type CheckedHorizon, type CheckedPlayer, type CheckFinding, checkUp } from '../envs/check-up.ts';
import { type Experiment, parseExperiment } from '../experiment/experiment.ts';
import { presets } from '../experiment/presets.ts';
import { openWorldHere } from '../library/node/worlds.ts';
import { isLearnable, typedExperiment, typedPreset, worldTokens } from '../models/typed-experiment.ts';
import { typedWorld } from '../worlds/registry.ts';
import { fail } from './command-error.ts';
import { ownWorldOptions, ownWorldTitle } from './own-world.ts';
import { readDocument } from './training-run.ts';
import { writeWhole } from './whole-files.ts';

const words: { [kind in CheckFinding['kind']]: (detail: string) => string } = {
  fails: (why) => `An episode fails: ${why}`,
  'never-ends': (turns) => `No episode ended within ${turns} turns. Return done: true from step() when it is over.`,
  unreachable: (count) => `None of ${count} episodes ended with a reward of 1, which is success.`,
  'same-reward': (reward) => `Every reward is ${reward}: there is nothing to learn. Return 1 for success.`,
  'oracle-fails': (share) => `The oracle succeeds in ${share}% of its episodes only.`,
  easy: (share) => `The random player already succeeds in ${share}%: there is little to learn.`,
  'no-actions': () =>
    'The world lists no actions: export validActions(). Without a list a tiny policy cannot start, and there is no chance to compare with.',
  unlisted: (action) => `The oracle's action “${action}” is not in the list of validActions().`,
  refused: (action) => `The listed action “${action}” is refused.`,
  'not-deterministic': (text) =>
    `The same actions gave another text (“${text}”) when view() and oracle() were called in between. They must not change variables.`,
  overlap: (share) => `${share}% of the held-out tasks look and answer like a task of training.`,
  'few-tasks': (count) => `There are only ${count} training tasks: a policy may learn them by heart.`,
  'long-text': (count) => `A text has ${count} characters: a tiny policy reads short ones.`,
  'no-oracle': () => 'There is no oracle() with a plan, so it is not known how well the world can be played.',
};

const percent = (share: number) => `${(100 * share).toFixed(1)}%`;
const playerLine = (name: string, { episodes, success, turns }: CheckedPlayer) =>
  `${name}: success ${percent(success)} in ${episodes} episodes, ${turns.toFixed(1)} turns on average`;

const horizonLine = (horizon: CheckedHorizon) =>
  typeof horizon === 'number' ? `${horizon} turns` : `the oracle's turns plus ${horizon.oraclePlus}`;

/** Horizon of an experiment: that of its last stage, the longest. */
const horizonOf = ({ horizon }: Pick<Experiment, 'horizon'>): CheckedHorizon => horizon.at(-1)!.turns;

interface Options {
  experiment?: string;
  write?: string;
}

async function report(file: string, { experiment, write }: Options): Promise<number> {
  const world = await openWorldHere(typedWorld().name);
  const first = parseExperiment(typedPreset(presets));
  try {
    const options = ownWorldOptions(file);
    const horizon = horizonOf(experiment === undefined ? first : readDocument(experiment));
    const found = await checkUp(world, options, { horizon });
    const {
      tasks: { train, test },
      chance,
      oracle,
      findings,
    } = found;
    const tokens = worldTokens(found);
    const { vocabulary, opening, episode, fits } = tokens;
    console.log(`tasks: ${train} for training, ${test} held out`);
    console.log(`horizon: ${horizonLine(found.horizon)}`);
    console.log(playerLine('random player', chance));
    if (oracle) console.log(playerLine('oracle', oracle));
    console.log(
      `a tiny policy's vocabulary: ${vocabulary} tokens; longest first text ${opening} tokens, longest episode after it ${episode}`,
    );
    console.log(fits ? 'a tiny policy can read it' : 'its texts are too long for a tiny policy');
    for (const { kind, detail, note } of findings) console.log(`${note ? 'note' : 'problem'}: ${words[kind](detail)}`);
    if (isLearnable(found, tokens)) console.log('nothing keeps a policy from learning it');
    if (write !== undefined) {
      const fitted = typedExperiment(first, ownWorldTitle(file), options, found);
      writeWhole(write, `${JSON.stringify(fitted, null, 2)}\n`);
      console.log(`wrote ${write}: npm run train -- ${write} --allow-code`);
    }
    return findings.every(({ note }) => note) ? 0 : 1;
  } finally {
    await world.close();
  }
}

async function main(): Promise<number> {
  const program = new Command('check-world')
    .description('Plays a typed world, in a sandbox, and reports what would keep a policy from learning it.')
    .argument('<file>', 'a world in JavaScript, or a .tabworld file')
    .option('--experiment <file>', 'experiment whose horizon the players have; by default experiments/own-first.json')
    .option('--write <file>', 'writes an experiment that trains a tiny policy in the world')
    .parse();
  return report(program.args[0], program.opts<Options>());
}

main().then(
  (code) => process.exit(code),
  (error: Error) => fail(error, 2),
);
