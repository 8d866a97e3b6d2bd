/**
 * `npm run phone-steps -- generate [--steps N] [--seed N] [--boxes]`: writes steps of the oracle with a prediction for each, right,
 * near, wrong or malformed, as JSONL with our measures; with `--boxes` in MagicGUI's form, each point in a random box. `score FILE`: measures a file of steps, our own (`column`,
 * `truth`, `prediction`) or MagicGUI's (`response`, `prediction`), and prints Type, Grd and SR by column with the parts of the reward.
 */
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { wholeFrom } from '../../src/cli/number-argument.ts';
import { mixSeeds, Random } from '../../src/envs/random.ts';
import { type Action, readAction, writeAction } from '../../src/worlds/phone/actions.ts';
import { measureStep, type Row, rowOf, stepReward } from '../../src/worlds/phone/measures.ts';
import { readSteps } from '../../src/worlds/phone/records.ts';
import { openWorld } from '../../src/worlds/registry.ts';

const within = (value: number) => Math.max(0, Math.min(999, Math.round(value)));

/** The right action with its points moved, or with another text or direction. */
function near(action: Action, random: Random): Action {
  const by = random.pick([20, 60, 100, 130, 150, 250]);
  const angle = random.below(360);
  const move = (x: number, y: number): [number, number] => [
    within(x + by * Math.cos((angle * Math.PI) / 180)),
    within(y + by * Math.sin((angle * Math.PI) / 180)),
  ];
  if (action.name === 'drag') {
    const [x2, y2] = move(action.x2, action.y2);
    return { ...action, x2, y2 };
  }
  if (action.name === 'text' && random.chance(50))
    return {
      ...action,
      text: random.pick([action.text.slice(1), `${action.text}s`, 'other words', action.text.toUpperCase()]),
    };
  if (action.name === 'scroll' && random.chance(50))
    return { ...action, direction: random.pick(['up', 'down', 'left', 'right'] as const) };
  if (!('x' in action)) return action;
  const [x, y] = move(action.x, action.y);
  return { ...action, x, y };
}

const others = [
  'wait()',
  'navigate_back()',
  'finish()',
  'no_answer()',
  'enter()',
  'tap(500,500)',
  'call_api(shop,open)',
  'scroll(500,500,up)',
  'long_press(400,300)',
  'screen_shot()',
  'long_screen_shot()',
  'drag(100,200,300,200)',
  'take_over(help)',
];
const malformed = ['', 'tap', 'press the button', 'tap(one,two)', 'jump()'];
const rare = [
  'call_api(shop,open)',
  'call_api(music,kill)',
  'enter()',
  'long_screen_shot()',
  'screen_shot()',
  'drag(100,200,300,200)',
  'scroll(500,500,left)',
  'wait()',
];

function predict(truth: string, random: Random): string {
  const kind = random.below(10);
  if (kind < 3) return truth;
  if (kind < 7) return writeAction(near(readAction(truth), random));
  return kind < 9 ? random.pick(others) : random.pick(malformed);
}

/** A box around a point as MagicGUI's files have it, some empty and some with decimals. */
function markedBox(x: number, y: number, random: Random): string {
  const tenths = random.chance(20) ? random.below(10) / 10 : 0;
  const away = () => random.pick([0, 5, 20, 60, 130, 300]);
  const sides = [within(x - away()), within(y - away()), within(x + away()), within(y + away())];
  const [left, top, right, bottom] = random.chance(3) ? [0, 0, 0, 0] : sides.map((side) => side + tenths);
  return `<|box_start|>(${left},${top}),(${right},${bottom})<|box_end|>`;
}

/** The action with a box in the place of each point. */
const boxed = (truth: string, random: Random) =>
  truth.replace(/^(tap|long_press|text|scroll|drag)\((\d+),(\d+)(?:,(\d+),(\d+)(?=\)))?/, (_, name, x, y, x2, y2) => {
    const second = x2 === undefined ? '' : `,${markedBox(Number(x2), Number(y2), random)}`;
    return `${name}(${markedBox(Number(x), Number(y), random)}${second}`;
  });

/** A step as a line, with our measures. */
function lineOf(column: string, truth: string, prediction: string, boxes: Random | null): string {
  if (!boxes)
    return JSON.stringify({
      ...{ column, truth, prediction, ...measureStep(prediction, truth) },
      reward: stepReward(prediction, truth),
    });
  const record = { category: column, response: boxed(truth, boxes), prediction };
  const [step] = readSteps(JSON.stringify(record));
  return JSON.stringify({ ...record, ...measureStep(prediction, step.truth, step.boxes) });
}

async function generate(count: number, seed: number, boxes: boolean): Promise<void> {
  const world = await openWorld('phone');
  const random = new Random(mixSeeds(seed, 47));
  const boxRandom = boxes ? new Random(mixSeeds(seed, 48)) : null;
  const lines: string[] = [];
  for (const task of await world.tasks({ instances: 60 }, 'train')) {
    if (lines.length >= count) break;
    await world.reset([0], [task]);
    const [plan] = await world.oracle([0]);
    const truths = [...plan!, ...(random.chance(20) ? [random.pick(rare)] : [])];
    for (const truth of truths) {
      if (lines.length >= count) break;
      lines.push(lineOf(String(task.strata.kind), truth, predict(truth, random), boxRandom));
    }
  }
  process.stdout.write(`${lines.join('\n')}\n`);
}

const shown = (value: number | null) => (value === null ? '-' : value.toFixed(1)).padStart(7);
const line = (name: string, { steps, type, grounding, success }: Row, reward: number) =>
  console.log(
    `${name.padEnd(12)}${String(steps).padStart(7)}${shown(type)}${shown(grounding)}${shown(success)}${reward.toFixed(3).padStart(8)}`,
  );

function score(file: string): void {
  const steps = readSteps(readFileSync(file, 'utf8'));
  console.log(
    `${'column'.padEnd(12)}${['steps', 'Type', 'Grd', 'SR'].map((each) => each.padStart(7)).join('')}${'reward'.padStart(8)}`,
  );
  for (const column of [...new Set(steps.map((step) => step.column)), 'all']) {
    const some = steps.filter((step) => column === 'all' || step.column === column);
    const rewards = some.map(({ prediction, truth }) => stepReward(prediction, truth).total);
    line(
      column,
      rowOf(some.map(({ prediction, truth, boxes }) => measureStep(prediction, truth, boxes))),
      rewards.reduce((sum, each) => sum + each, 0) / some.length,
    );
  }
}

const program = new Command('phone-steps').description('Measures steps on a phone as MagicGUI does.');
program
  .command('generate')
  .option('--steps <n>', 'number of steps', wholeFrom(1), 5000)
  .option('--seed <n>', 'seed of the predictions', wholeFrom(0), 1)
  .option('--boxes', "in MagicGUI's form, with boxes in the place of points")
  .action(({ steps, seed, boxes = false }: { steps: number; seed: number; boxes?: boolean }) =>
    generate(steps, seed, boxes),
  );
program.command('score').argument('<file>', 'steps as JSONL').action(score);
await program.parseAsync();
