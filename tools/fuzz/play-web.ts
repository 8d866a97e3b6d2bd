/**
 * Fuzzes the web: parses and executes strings near and far from actions, with any Unicode. Every answer must be well
 * formed: an action or one of the original's errors; an observation with valid ids.
 */
import type { Feedback, Task, World } from '../../src/envs/env.ts';
import { uniformAt } from '../../src/envs/random-player.ts';
import { ActionError, parseAction } from '../../src/webarena/actions.ts';
import { instancesEach, templates } from '../../src/worlds/web/tasks/index.ts';

const pieces = [
  ...[
    'click',
    'hover',
    'type',
    'press',
    'scroll',
    'goto',
    'tab_focus',
    'new_tab',
    'close_tab',
    'go_back',
    'go_forward',
    'stop',
  ],
  ...[
    ' [',
    '] [',
    ']',
    '[',
    ' ',
    '\n',
    '\t',
    '0',
    '1',
    '12',
    '99999999999999999999',
    'up',
    'down',
    'Control+a',
    'Enter',
    'Tab',
    '+',
  ],
  ...[
    'http://shop.test/',
    'javascript:alert(1)',
    'file:///etc/passwd',
    'data:text/html,x',
    '//evil.test/',
    'http://shop.test/search?q=%zz',
  ],
  ...[
    '<script>',
    '&amp;',
    "'",
    '"',
    '\\',
    '\u0000',
    '\u2028',
    '\ud83d',
    '😀',
    '字',
    '１',
    'é',
    '\u202e',
    '\ufeff',
    '$' + '{1}',
    '`',
    'x'.repeat(500),
  ],
];

/** Random numbers for one string, determined by (seed, k). */
class Dice {
  private turn = 0;
  constructor(
    private readonly seed: number,
    private readonly k: number,
  ) {}
  below = (n: number) => Math.floor(uniformAt(this.seed, this.k, this.turn++) * n);
  pick = <T>(from: readonly T[]): T => from[this.below(from.length)];
}

function anyString(dice: Dice): string {
  let text = '';
  for (let length = 1 + dice.below(10); length > 0; length--)
    text += dice.below(5) ? dice.pick(pieces) : String.fromCodePoint(dice.below(0x110000));
  return text;
}

/** Parses `count` strings. Throws if one is neither an action nor refused with an ActionError. */
export function fuzzParsing(count: number, seed: number): number {
  for (let k = 0; k < count; k++) {
    const text = anyString(new Dice(seed, k));
    try {
      if (typeof parseAction(text).kind !== 'string') throw new Error(`No kind: ${JSON.stringify(text)}`);
    } catch (error) {
      if (!(error instanceof ActionError)) throw new Error(`${JSON.stringify(text)}: ${error}`);
    }
  }
  return count;
}

/** A string for a page: half of them are valid actions. */
function actionOn(valid: readonly string[], dice: Dice): string {
  const kind = dice.below(4);
  if (kind < 2 && valid.length) return dice.pick(valid);
  const ids = valid.flatMap((action) => /\[(\d+)\]/.exec(action)?.[1] ?? []);
  if (kind === 2 && ids.length)
    return `${dice.pick(['click', 'type', 'hover'])} [${dice.pick(ids)}] [${anyString(dice)}] [${dice.below(2)}]`;
  return anyString(dice);
}

function check(answer: Feedback, action: string): void {
  const wrong =
    typeof answer.observation !== 'string' ||
    ![0, 1].includes(answer.reward) ||
    (answer.reward === 1 && !answer.done) ||
    answer.observation.length > 200_000 ||
    (answer.validActions ?? []).some((text) => /\n/.test(text));
  if (wrong)
    throw new Error(`Not well formed after ${JSON.stringify(action)}: ${JSON.stringify(answer).slice(0, 300)}`);
}

/** Executes `count` strings over all templates. */
export async function fuzzActions(
  world: World,
  count: number,
  seed: number,
): Promise<{ executed: number; episodes: number; slowestMs: number }> {
  let executed = 0;
  let episodes = 0;
  let slowestMs = 0;
  while (executed < count) {
    const dice = new Dice(seed, episodes++);
    const id = dice.below(templates.length) * instancesEach + dice.below(instancesEach);
    const task: Task = { world: 'web', id, options: { screenLines: dice.pick([0, 10, 40]) }, strata: {} };
    let [answer] = await world.reset([0], [task]);
    for (let turn = 0; turn < 25 && !answer.done && executed < count; turn++, executed++) {
      const action = actionOn(answer.validActions ?? [], dice);
      const start = performance.now();
      [answer] = await world.step([0], [action]);
      slowestMs = Math.max(slowestMs, performance.now() - start);
      check(answer, action);
    }
  }
  return { executed, episodes, slowestMs };
}
