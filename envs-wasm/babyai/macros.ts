// Running a macro action: its low-level actions one by one. Knows when AgentGym stops, and when we do.
import { lengthOf, lowLevel } from './planner';
import { act, keepRead, keepView, viewChanged } from './steps';
import { World } from './world';

/**
 * Runs action `index` of `listed`'s list in `w` (the same world, or a copy of it). It ends when the view stops changing; ours
 * also stops where the episode ends, which upstream overlooks.
 */
export function execute(w: World, listed: World, index: i32): void {
  run(w, listed, index);
  // What comes in sight on the way and is not at its end, the text does not tell.
  keepRead(w);
}
function run(w: World, listed: World, index: i32): void {
  const length = lengthOf(listed, index);
  for (let step = 0; step < length; step++) {
    keepView(w);
    act(w, lowLevel(listed, index, step));
    if (!viewChanged(w)) return;
    if (!w.upstream && (w.terminated || w.truncated)) return;
  }
}
/** Is the text of this world over, after `execute`? Upstream goes on after a failure, and after a success that came late. */
export function isOver(w: World): bool {
  return w.upstream ? w.terminated && w.reward > 0.5 : w.terminated || w.truncated;
}
