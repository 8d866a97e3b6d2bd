// Runs macro actions: their low-level actions one by one, with AgentGym's rules for when to stop, and this project's.
import { lengthOf, lowLevel } from './planner';
import { act, recordReported, saveView, viewChanged } from './steps';
import { World } from './world';

/**
 * Runs action `index` of `listed`'s list in `w` (the same world, or a copy of it). It ends when the view stops
 * changing. Outside upstream mode it also ends with the episode; upstream ignores that.
 */
export function execute(w: World, listed: World, index: i32): void {
  run(w, listed, index);
  // The text describes only the view at the end of the action, not cells seen on the way.
  recordReported(w);
}
function run(w: World, listed: World, index: i32): void {
  const length = lengthOf(listed, index);
  for (let step = 0; step < length; step++) {
    saveView(w);
    act(w, lowLevel(listed, index, step));
    if (!viewChanged(w)) return;
    if (!w.upstream && (w.terminated || w.truncated)) return;
  }
}
/**
 * True if the world's text is over after `execute`. Upstream continues after a failure, and after a success that came
 * late.
 */
export function isOver(w: World): bool {
  return w.upstream ? w.terminated && w.reward > 0.5 : w.terminated || w.truncated;
}
