/**
 * `node scripts/run.mjs python-steps FILE.jsonl`: plays steps again that Python's vectorised environment played over the
 * socket (`python/tests/test_equal_to_node.py`), by `tabgym/worlds` in this process, and compares every value.
 */
import { readFileSync } from 'node:fs';
import { validActionsAfter } from '../../src/envs/env.ts';
import { createWorlds, type Feedback } from '../../src/library/worlds.ts';

interface Line {
  world: string;
  /** Action of each world; null at the start. A world that begins a task ignores its action. */
  actions: (string | null)[];
  /** Training task that each world begins; null: it goes on. */
  tasks: (number | null)[];
  texts: string[];
  rewards: number[];
  done: boolean[];
  valid: boolean[];
  offered: (string[] | null)[];
}

const lines: Line[] = readFileSync(process.argv[2], 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line));
const [{ world, actions }] = lines;
const worlds = await createWorlds(world, actions.length);
/** The last list of each world: null in a feedback stands for the same list as before. */
const offered: (readonly string[] | null)[] = actions.map(() => null);

function shown(slot: number, begins: boolean, feedback: Feedback) {
  const { observation, reward, done, valid } = feedback;
  offered[slot] = validActionsAfter(begins ? null : offered[slot], feedback);
  return { text: observation, reward: begins ? 0 : reward, done, valid, offered: offered[slot] };
}

for (const [step, line] of lines.entries()) {
  for (const [slot, task] of line.tasks.entries()) {
    const begins = task !== null;
    const [feedback] = begins
      ? await worlds.reset([{ split: 'train', task }], [slot])
      : await worlds.step([line.actions[slot]!], [slot]);
    const own = JSON.stringify(shown(slot, begins, feedback));
    const { texts, rewards, done, valid, offered } = line;
    const given = JSON.stringify({
      text: texts[slot],
      reward: rewards[slot],
      done: done[slot],
      valid: valid[slot],
      offered: offered[slot],
    });
    if (own === given) continue;
    console.error(`step ${step}, world ${slot}: Node has ${own}\nPython has ${given}`);
    process.exit(1);
  }
}
await worlds.close();
console.log(`${lines.length - 1} steps of ${actions.length} worlds of ${world} are equal`);
