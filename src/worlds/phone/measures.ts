/**
 * Measures of a step against the right action, as MagicGUI defines them (arXiv 2508.03700): the parts of its reward, and
 * Type, Grd and SR of its tables, by the rules of its evaluator (`eval_line_point` of NavigationDataset).
 */
import { type Action, ActionError, readAction } from './actions.ts';

/** Bounds of the reward, in thousandths of the screen. */
const reach = 140;
const dragReach = 75;
/** Minimum F1 of a text, exclusive. */
const leastF1 = 0.5;
/** Largest normalised edit distance of a text in the tables. */
const mostDistance = 0.2;

/** Parts of a step's reward. */
export interface StepReward {
  /** 1 if the action is in the grammar. */
  format: number;
  /** 2 if it is the right one within the bounds. */
  accuracy: number;
  /** 0 at the right point, -2 at the bound and beyond. */
  distance: number;
  total: number;
}

/** What a step counts for in the tables. `grounding` is null where no point is compared. */
export interface StepMeasure {
  type: boolean;
  grounding: boolean | null;
  match: boolean;
}

type Point = readonly [number, number];

const distanceOf = ([x, y]: Point, [left, top]: Point) => Math.hypot(x - left, y - top);

function readOrNull(text: string): Action | null {
  try {
    return readAction(text);
  } catch (error) {
    if (error instanceof ActionError) return null;
    throw error;
  }
}

const pointOf = (action: Action): Point | null => ('x' in action ? [action.x, action.y] : null);

const wordsOf = (text: string) => new Set(text.toLowerCase().split(/\s+/).filter(Boolean));

/** F1 of two texts as sets of words. */
export function wordF1(predicted: string, truth: string): number {
  const [first, second] = [wordsOf(predicted), wordsOf(truth)];
  const common = [...first].filter((word) => second.has(word)).length;
  return first.size + second.size === 0 ? 0 : (2 * common) / (first.size + second.size);
}

/** Edit distance, divided by the length of the longer text. */
export function editDistance(first: string, second: string): number {
  let row = Array.from({ length: second.length + 1 }, (_, k) => k);
  for (let j = 1; j <= first.length; j++) {
    const next = [j];
    for (let k = 1; k <= second.length; k++)
      next.push(Math.min(row[k] + 1, next[k - 1] + 1, row[k - 1] + Number(first[j - 1] !== second[k - 1])));
    row = next;
  }
  const longer = Math.max(first.length, second.length);
  return longer ? row[second.length] / longer : 0;
}

/** Distances of the points that a type of action compares, each with its bound; none if it has no points. */
function gapsOf(predicted: Action, truth: Action): { gap: number; bound: number }[] {
  if (predicted.name === 'drag' && truth.name === 'drag')
    return [
      { gap: distanceOf([predicted.x1, predicted.y1], [truth.x1, truth.y1]), bound: dragReach },
      { gap: distanceOf([predicted.x2, predicted.y2], [truth.x2, truth.y2]), bound: dragReach },
    ];
  const [own, right] = [pointOf(predicted), pointOf(truth)];
  return own && right ? [{ gap: distanceOf(own, right), bound: reach }] : [];
}

/** True if everything but the points is as in the right action. */
function restIsRight(predicted: Action, truth: Action): boolean {
  if (predicted.name === 'scroll' && truth.name === 'scroll') return predicted.direction === truth.direction;
  if (predicted.name === 'text' && truth.name === 'text') return wordF1(predicted.text, truth.text) > leastF1;
  if (predicted.name === 'call_api' && truth.name === 'call_api')
    return predicted.app === truth.app && predicted.operation === truth.operation;
  return true;
}

/** Reward of a written step. */
export const stepReward = (predicted: string, truth: string): StepReward =>
  actionReward(readOrNull(predicted), readAction(truth));

/** Reward of a step: format +1, accuracy +2, distance down to -2, in proportion to the bound. Null: not in the grammar. */
export function actionReward(action: Action | null, right: Action): StepReward {
  if (!action) return { format: 0, accuracy: 0, distance: 0, total: 0 };
  if (action.name !== right.name) return { format: 1, accuracy: 0, distance: 0, total: 1 };
  const gaps = gapsOf(action, right);
  const isRight = gaps.every(({ gap, bound }) => gap <= bound) && restIsRight(action, right);
  const share = Math.max(0, ...gaps.map(({ gap, bound }) => Math.min(1, gap / bound)));
  const [accuracy, distance] = [isRight ? 2 : 0, share ? -2 * share : 0];
  return { format: 1, accuracy, distance, total: 1 + accuracy + distance };
}

const withPoint = ['tap', 'long_press', 'text', 'scroll'] as const;
const hasPoint = (action: Action): action is Action & { x: number; y: number } =>
  (withPoint as readonly string[]).includes(action.name);

const whole = (action: Action, keys: readonly string[]): number[] =>
  keys.map((key) => Math.trunc(Number((action as unknown as { [key: string]: number })[key])));

/** A box of the right element: left, top, right, bottom. */
export type Box = readonly [number, number, number, number];

function isInside([x, y]: readonly number[], box: Box): boolean {
  const [left, top, right, bottom] = box.map(Math.trunc);
  return x >= left && x <= right && y >= top && y <= bottom;
}

/** A box of zeros stands for a step without a point. */
const isEmpty = (box: Box) => box.every((side) => Math.trunc(side) === 0);

/** Points as the evaluator compares them: whole numbers, all within 140, also of two actions of different types. */
function grounded(predicted: Action, truth: Action, boxes: readonly Box[] = []): boolean | null {
  if (hasPoint(predicted) && hasPoint(truth)) {
    const [right, own] = [whole(truth, ['x', 'y']), whole(predicted, ['x', 'y'])];
    if (boxes.length) return isEmpty(boxes[0]) ? null : isInside(own, boxes[0]);
    // A right action at (0,0) has no point to compare.
    return right[0] === 0 && right[1] === 0
      ? null
      : distanceOf(own as unknown as Point, right as unknown as Point) <= reach;
  }
  if (predicted.name !== 'drag' || truth.name !== 'drag') return null;
  const [own, right] = [predicted, truth].map((each) => whole(each, ['x1', 'y1', 'x2', 'y2']));
  if (boxes.length === 2) return isInside(own.slice(0, 2), boxes[0]) && isInside(own.slice(2), boxes[1]);
  return (
    distanceOf([own[0], own[1]], [right[0], right[1]]) <= reach &&
    distanceOf([own[2], own[3]], [right[2], right[3]]) <= reach
  );
}

/** The last argument of a text or a scroll, without spaces, as the evaluator compares it. */
const wordOf = (action: Action) =>
  action.name === 'text' ? action.text : action.name === 'scroll' ? action.direction : null;
const close = (predicted: string, truth: string) => {
  const bare = (text: string) => text.replace(/["\s]/g, '').toLowerCase();
  return editDistance(bare(predicted), bare(truth)) <= mostDistance;
};

function textIsRight(predicted: Action, truth: Action): boolean {
  if (predicted.name === 'call_api' && truth.name === 'call_api')
    return close(predicted.app, truth.app) && editDistance(predicted.operation, truth.operation) === 0;
  const [own, right] = [wordOf(predicted), wordOf(truth)];
  return own === null || right === null || close(own, right);
}

/**
 * Measures of a step for MagicGUI's tables. With boxes, each predicted point must be in its own
 * (`eval_line_bbox`).
 */
export function measureStep(predicted: string, truth: string, boxes?: readonly Box[]): StepMeasure {
  const [action, right] = [readOrNull(predicted), readAction(truth)];
  if (!action) return { type: false, grounding: null, match: false };
  const [type, grounding] = [action.name === right.name, grounded(action, right, boxes)];
  return { type, grounding, match: type && grounding !== false && textIsRight(action, right) };
}

/** A row of a table: shares in percent, and the number of steps that each is of. */
export interface Row {
  steps: number;
  type: number;
  grounding: number | null;
  success: number;
}

export function rowOf(measures: readonly StepMeasure[]): Row {
  const share = (list: readonly boolean[]) => (100 * list.filter((each) => each).length) / list.length;
  const points = measures.flatMap(({ grounding }) => (grounding === null ? [] : [grounding]));
  return {
    steps: measures.length,
    type: share(measures.map(({ type }) => type)),
    grounding: points.length ? share(points) : null,
    success: share(measures.map(({ match }) => match)),
  };
}
