/**
 * Oracle of a phone: in each state it takes the first open step of the subgoal that is not reached, answers what covers
 * the screen, scrolls to what is under the fold, or goes home. It works after any actions that can be repaired.
 */
import { type Action, ActionError } from './actions.ts';
import type { Judge } from './judge.ts';
import { centreOf, type Placed } from './layout.ts';
import { type Phone, sliderPosition } from './phone.ts';
import type { Step } from './tasks/skills.ts';
import type { Made } from './tasks/template.ts';

/** Maximum number of actions of a plan. */
const mostActions = 120;
const middle = { x: 500, y: 450 };

/** What an episode has seen and done. */
export interface Progress {
  phone: Phone;
  /** Places (`Phone.id` and `overlay KEY`) that were shown. */
  visited: ReadonlySet<string>;
}

export const shownPlace = (phone: Phone): string =>
  phone.ui.overlay ? `overlay ${phone.ui.overlay.key}` : phone.ui.loading ? 'loading' : phone.id();

function reach({ item, ...rectangle }: Placed, step: Step): Action | null {
  const [x, y] = centreOf(rectangle);
  if (step.act === 'text') return { name: 'text', x, y, text: step.value! };
  if (step.act === 'hold') return item.hold ? { name: 'long_press', x, y } : null;
  if (step.act === 'tap') return item.tap ? { name: 'tap', x, y } : null;
  const placed = { item, ...rectangle } as Placed;
  return {
    name: 'drag',
    x1: sliderPosition(placed, Number(item.state)),
    y1: y,
    x2: sliderPosition(placed, Number(step.value)),
    y2: y,
  };
}

/** True if a step that leaves a trace on the screen has been taken. */
function isDone(phone: Phone, { act, key, value, until }: Step): boolean {
  if (act !== 'text' && until === undefined) return false;
  const { items, bottom = [] } = phone.screen();
  const item = [...items, ...bottom].find((each) => each.key === key);
  return act === 'text' ? item?.detail === value : item?.state === until;
}

/** The action of a step where the phone is; null if its element is not there. */
function actionOf(phone: Phone, step: Step): Action | null {
  if (step.act === 'picture') return { name: 'screen_shot' };
  if (step.act === 'long-picture') return { name: 'long_screen_shot' };
  const { placed, above, below } = phone.layout();
  const found = placed.find(({ item }) => item.key === step.key);
  if (found) return reach(found, step);
  const isHere = ({ key }: { key: string }) => key === step.key;
  if (below.some(isHere)) return { name: 'scroll', ...middle, direction: 'up' };
  return above.some(isHere) ? { name: 'scroll', ...middle, direction: 'down' } : null;
}

function nextOf(phone: Phone, steps: readonly Step[]): Action | null {
  const { overlay, app, loading } = phone.ui;
  const place = shownPlace(phone);
  const step = steps.find((each) => each.at === place && (overlay || !isDone(phone, each)));
  if (step) return actionOf(phone, step);
  if (overlay) return actionOf(phone, { at: place, act: 'tap', key: overlay.dismiss });
  if (loading) return { name: 'wait' };
  return app === null ? null : { name: 'navigate_home' };
}

/** The next action, or null if the goal is out of reach. */
function advise({ phone, visited }: Progress, made: Made, judge: Judge): Action | null {
  const reached = judge.reached(phone.state);
  const open = made.subgoals[reached.indexOf(false)];
  const looks = [open?.look, open ? undefined : made.look];
  const look = looks.find((each) => each && !visited.has(each.place));
  if (look) return nextOf(phone, look.steps);
  if (open) return nextOf(phone, open.steps);
  const end = made.end ?? 'finish';
  const { success } = judge.judge(phone.state, end);
  if (!success) return null;
  return end === 'take_over' ? { name: end, message: 'Sign in, please.' } : { name: end };
}

const isEnd = ({ name }: Action) => name === 'finish' || name === 'no_answer' || name === 'take_over';

/** All remaining actions, or null if the goal is out of reach. */
export function planFrom({ phone, visited }: Progress, made: Made, judge: Judge): Action[] | null {
  const own = phone.copy();
  const seen = new Set(visited);
  const actions: Action[] = [];
  while (actions.length < mostActions) {
    const action = advise({ phone: own, visited: seen }, made, judge);
    if (!action) return null;
    actions.push(action);
    if (isEnd(action)) return actions;
    try {
      own.act(action);
    } catch (error) {
      if (error instanceof ActionError) return null;
      throw error;
    }
    seen.add(shownPlace(own));
  }
  return null;
}
