/**
 * A world that misbehaves on request. It counts its steps. Actions: `hang` loops forever, `trap` runs an unreachable
 * instruction of WebAssembly, `exit` ends its thread, `refuse` throws a WorldError, `wait` waits until the call is
 * aborted. A task with id 13 hangs at its reset, one with id 24 traps at it, and one with id 25 lacks a package there.
 */
import { type Feedback, type Task, type World, WorldError, type WorldView } from '../../src/envs/env.ts';

// (module (func (export "trap") unreachable))
const trapModule = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 7, 8, 1, 4, 116, 114, 97, 112, 0, 0, 10, 5, 1, 3, 0, 0,
  11,
]);

function hang(): never {
  for (;;);
}

async function trap(): Promise<void> {
  const { instance } = await WebAssembly.instantiate(trapModule);
  (instance.exports.trap as () => void)();
}

export class MisbehavingWorld implements World {
  private readonly states = new Map<number, string[]>();

  describe() {
    return {
      name: 'misbehaving',
      title: 'Misbehaving',
      summary: 'Hangs, traps and dies on request.',
      instruction: '',
      credit: 'ours',
      hasOracle: true,
      hasValidActions: false,
      successReward: 1,
      freeRunning: false,
      replayable: true,
    };
  }

  async tasks(): Promise<Task[]> {
    return [];
  }

  async reset(slots: readonly number[], tasks: readonly Task[]): Promise<Feedback[]> {
    for (const { id } of tasks) {
      if (id === 24) await trap();
      const absent = 'tabgym-absent-package';
      if (id === 25) await import(absent);
    }
    return slots.map((slot, k) => {
      if (tasks[k].id === 13) hang();
      this.states.set(slot, [`task ${tasks[k].id}`]);
      return { observation: `task ${tasks[k].id}`, reward: 0, done: false, valid: true };
    });
  }

  async step(slots: readonly number[], actions: readonly string[], signal?: AbortSignal): Promise<Feedback[]> {
    const answers: Feedback[] = [];
    for (const [k, slot] of slots.entries()) {
      if (actions[k] === 'hang') hang();
      if (actions[k] === 'trap') await trap();
      if (actions[k] === 'exit') process.exit(3);
      if (actions[k] === 'wait')
        await new Promise((_, reject) => signal!.addEventListener('abort', () => reject(signal!.reason)));
      if (actions[k] === 'refuse') throw new WorldError('refused, as told');
      const state = this.states.get(slot)!;
      state.push(actions[k]);
      answers.push({ observation: state.join(' '), reward: 0, done: false, valid: true });
    }
    return answers;
  }

  async oracle(slots: readonly number[]): Promise<(string[] | null)[]> {
    return slots.map((slot) => {
      if (this.states.get(slot)!.includes('no oracle')) hang();
      return [`slot ${slot}`];
    });
  }

  async view(slot: number): Promise<WorldView> {
    return { kind: 'text', text: this.states.get(slot)!.join(' ') };
  }

  async close(): Promise<void> {}
}
