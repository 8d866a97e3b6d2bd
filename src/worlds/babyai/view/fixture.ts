/** Made-up room of BabyAI for the gallery: every kind of thing, a view to the right, and keys that move. */
import type { FixtureFrame, ViewFixture } from '../../../ui/kit/view-fixture.ts';
import type { BabyAiView, GridCell } from '../view-data.ts';

const things: { [place: string]: [GridCell['type'], string, string] } = {
  '3,2': ['ball', 'red', ''],
  '5,1': ['key', 'yellow', ''],
  '5,4': ['box', 'purple', ''],
  '2,5': ['ball', 'grey', ''],
  '1,1': ['key', 'blue', ''],
  '7,3': ['door', 'green', 'locked'],
  '4,0': ['door', 'blue', 'closed'],
  '0,5': ['door', 'red', 'open'],
};

const directions = ['right', 'down', 'left', 'up'] as const;

/** The room after `right` quarter turns to the right. */
function grid(right = 0): BabyAiView {
  const direction = directions[((right % 4) + 4) % 4];
  const cellOf = (x: number, y: number): GridCell => {
    const [type, color, state] = things[`${x},${y}`] ?? [x % 7 === 0 || y % 7 === 0 ? 'wall' : 'empty', '', ''];
    const seen = { right: x >= 2, down: y >= 3, left: x <= 2, up: y <= 3 }[direction];
    return { type, color: type === 'wall' ? 'grey' : color, state, seen };
  };
  return {
    kind: 'babyai',
    text: `Goal: go to the red ball. A grid of 8 columns and 8 rows. The agent is at column 3, row 4, facing ${direction}, carrying nothing.`,
    goal: 'go to the red ball',
    level: 4,
    cells: Array.from({ length: 8 }, (_, y) => Array.from({ length: 8 }, (_, x) => cellOf(x, y))),
    agent: { x: 2, y: 3, direction },
    carrying: { type: 'key', color: 'green' },
    steps: Math.abs(right),
    maxSteps: 64,
  };
}

/** Frame after these actions: turns rotate the agent; going to the ball wins. */
function played(actions: readonly string[]): FixtureFrame {
  const last = actions.at(-1);
  const won = last === 'go to red ball 1';
  const right =
    actions.filter((each) => each === 'turn right').length - actions.filter((each) => each === 'turn left').length;
  return {
    observation: won
      ? 'The task is completed.'
      : 'goal: GO TO THE RED BALL\nred ball 1 ahead 1 left 1; yellow key 1 ahead 3 left 2; wall ahead 5; carrying green key',
    reward: won ? 0.9 : 0,
    done: won,
    valid: true,
    success: won,
    actions: won ? [] : ['turn left', 'turn right', 'move forward', 'go to red ball 1', 'pickup yellow key 1', 'drop'],
    view: grid(right),
  };
}

export const babyaiFixture: ViewFixture = { world: 'babyai', view: grid, played };
