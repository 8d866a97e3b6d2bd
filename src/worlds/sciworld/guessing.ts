/** What an oracle comes to that does not find out: its plan with the answer drawn at random. Knows the words of tasks and plans. */
import { uniformAt } from '../../envs/random-player.ts';

const STREAM_GUESS = 0x6775_6573;

/** The boxes that a task's words offer as answers, in their order. */
const boxesOf = (description: string) => [
  ...new Set([...description.matchAll(/\b(\w+ box)\b/g)].map(([, box]) => box)),
];

/** The plan, and in the action that answers one of the boxes as likely as any other. A task with one box, or none, asks for no answer. */
export function guessed(plan: readonly string[], description: string, id: number): string[] {
  const boxes = boxesOf(description);
  const at = plan.findLastIndex((action) => boxes.some((box) => action.endsWith(box)));
  if (boxes.length < 2 || at < 0) return [...plan];
  const right = boxes.find((box) => plan[at].endsWith(box))!;
  const drawn = boxes[Math.floor(uniformAt(STREAM_GUESS, id, 0) * boxes.length)];
  return plan.with(at, plan[at].replace(right, drawn));
}
