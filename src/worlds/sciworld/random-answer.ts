/**
 * Oracle that guesses: its plan with a random box as the answer. It is the baseline for oracles and policies that find
 * the answer.
 */
import { uniformAt } from '../../envs/random-player.ts';

const STREAM_GUESS = 0x6775_6573;

/** Boxes that the task's description offers as answers, in its order. */
const boxesOf = (description: string) => [
  ...new Set([...description.matchAll(/\b(\w+ box)\b/g)].map(([, box]) => box)),
];

/**
 * Replaces the box in the plan's answer by a random one of the task's boxes, uniformly. A plan for a task with fewer
 * than two boxes stays unchanged, because it has no choice to make.
 */
export function withRandomAnswer(plan: readonly string[], description: string, id: number): string[] {
  const boxes = boxesOf(description);
  const at = plan.findLastIndex((action) => boxes.some((box) => action.endsWith(box)));
  if (boxes.length < 2 || at < 0) return [...plan];
  const right = boxes.find((box) => plan[at].endsWith(box))!;
  const drawn = boxes[Math.floor(uniformAt(STREAM_GUESS, id, 0) * boxes.length)];
  return plan.with(at, plan[at].replace(right, drawn));
}
