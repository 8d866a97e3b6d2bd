// A step's gate: work waits while it is closed, goes on when it opens, and ends with the reason of an aborted signal.
import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { StepGate } from '../../src/session/run/step-gate.ts';

it('holds several passes, lets them go on, and leaves no listener at the signal', async () => {
  const { signal } = new AbortController();
  const gate = new StepGate(() => signal);
  await gate.pass();
  gate.hold();
  const ended: number[] = [];
  const passes = [1, 2].map((k) => gate.pass().then(() => ended.push(k)));
  await Promise.resolve();
  expect([gate.isClosed, ended]).toEqual([true, []]);
  // Opened and closed again before the work went on: it still waits.
  gate.release();
  gate.hold();
  await new Promise((resolve) => setImmediate(resolve));
  expect(ended).toEqual([]);
  gate.release();
  await Promise.all(passes);
  expect(ended.sort()).toEqual([1, 2]);
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});

it('rejects a held pass with the reason of its signal', async () => {
  const control = new AbortController();
  const gate = new StepGate(() => control.signal);
  gate.hold();
  const pass = gate.pass();
  control.abort(new Error('closed'));
  await expect(pass).rejects.toThrow('closed');
  await expect(gate.pass()).rejects.toThrow('closed');
  expect(getEventListeners(control.signal, 'abort')).toHaveLength(0);
});
