// The element `<tab-gym>` in a browser, on a run whose steps arrive while the element reads what is stored.
import { afterEach, expect, it } from 'vitest';
import { TabGymElement } from '../../src/library/element.ts';
import { Listeners } from '../../src/library/listeners.ts';
import type { Run, RunEvents } from '../../src/library/run.ts';
import type { StepRecord } from '../../src/rl/evaluation/evaluation.ts';

const recordOf = (step: number, success = step / 10): StepRecord => ({ step, stage: 1, metrics: { success } });

/** A run that trains as the test says. `reading` is awaited by each list of steps before its end. */
class TrainedRun {
  readonly experiment = { name: 'a run', steps: 9 };
  readonly listeners = new Listeners<RunEvents>();
  stored: StepRecord[] = [recordOf(0)];
  reading: Promise<void> = Promise.resolve();

  on<Type extends keyof RunEvents>(type: Type, listener: (value: RunEvents[Type]) => void) {
    return this.listeners.add(type, listener);
  }

  commit(record: StepRecord) {
    this.stored = [...this.stored.filter(({ step }) => step < record.step), record];
    this.listeners.send('step', record);
  }

  async records() {
    return this.stored;
  }

  async trajectorySteps() {
    const steps = this.stored.map(({ step }) => step).filter((step) => step > 0);
    await this.reading;
    return steps;
  }

  async trajectories() {
    return [];
  }

  async close() {}
}

afterEach(() => document.body.replaceChildren());

async function shown(run: TrainedRun, view: string) {
  const element = new TabGymElement();
  element.setAttribute('view', view);
  document.body.append(element);
  await element.open({ run: run as unknown as Run });
  return element;
}

const stepsOf = (element: TabGymElement) => element.steps.map(({ step }) => step);

it('shows each step once if steps are computed again after a lost device', async () => {
  const run = new TrainedRun();
  const element = await shown(run, 'curves');
  for (const step of [1, 2, 3]) run.commit(recordOf(step));
  expect(stepsOf(element)).toEqual([0, 1, 2, 3]);
  run.commit(recordOf(2, 0.9));
  expect(stepsOf(element)).toEqual([0, 1, 2]);
  expect(element.steps[2].metrics.success).toBe(0.9);
  run.commit(recordOf(3));
  expect(stepsOf(element)).toEqual([0, 1, 2, 3]);
});

it('shows the steps that arrive while it reads which trajectories are kept', async () => {
  const run = new TrainedRun();
  const element = await shown(run, 'group');
  let end = () => {};
  run.reading = new Promise((resolve) => {
    end = resolve;
  });
  run.commit(recordOf(1));
  run.commit(recordOf(2));
  end();
  await expect.poll(() => element.shadowRoot!.textContent).toContain('Step 2');
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(stepsOf(element)).toEqual([0, 1, 2]);
});

it('shows the steps that arrive while it opens', async () => {
  const run = new TrainedRun();
  let end = () => {};
  run.reading = new Promise((resolve) => {
    end = resolve;
  });
  const opened = shown(run, 'curves');
  await new Promise((resolve) => setTimeout(resolve, 50));
  run.commit(recordOf(1));
  end();
  expect(stepsOf(await opened)).toEqual([0, 1]);
});
