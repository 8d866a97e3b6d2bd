/** Supervisor of a worker: replaces one that no longer answers. */
import { describe, expect, test } from 'vitest';
import { MOST_STARTS, RestartedError, SILENT_TICKS, Supervisor } from '../../src/ui/control/supervisor.ts';

describe('the supervisor of a worker', () => {
  interface Api {
    ping(): Promise<void>;
    work(what: string): Promise<string>;
  }

  /** Workers that answer until `hang` is called; `tick` lets a second pass. */
  function supervised() {
    const workers: { hangs: boolean; ended: boolean }[] = [];
    const notices: string[] = [];
    let next = () => {};
    let hangs = false;
    const spawn = () => {
      const worker = { hangs, ended: false };
      workers.push(worker);
      const answer = <T>(value: T) => (worker.hangs ? new Promise<T>(() => {}) : Promise.resolve(value));
      const number = workers.length;
      const api: Api = { ping: () => answer(undefined), work: (what) => answer(`${what} by ${number}`) };
      return {
        api,
        terminate() {
          worker.ended = true;
        },
      };
    };
    const supervisor = new Supervisor<Api>({
      spawn,
      ping: (api) => api.ping(),
      every: (tick) => {
        next = tick;
      },
      onRestart: () => notices.push('restart'),
      onGivenUp: (error) => notices.push(error.message),
    });
    const tick = async (times: number) => {
      for (let i = 0; i < times; i++) {
        next();
        await new Promise((resolve) => setTimeout(resolve, 0));
      }
    };
    const hang = (future = false) => {
      workers.at(-1)!.hangs = true;
      hangs = future;
    };
    return { supervisor, workers, notices, tick, hang };
  }

  test('keeps a worker that answers, however long its work takes', async () => {
    const { supervisor, workers, notices, tick } = supervised();
    await tick(5 * SILENT_TICKS);
    expect(await supervisor.api.work('this')).toBe('this by 1');
    expect([workers.length, notices]).toEqual([1, []]);
  });

  test('replaces a silent worker, rejects its open calls, and passes new calls to the next', async () => {
    const { supervisor, workers, notices, tick, hang } = supervised();
    await tick(3);
    hang();
    const lost = supervisor.api.work('this').catch((error: Error) => error);
    await tick(SILENT_TICKS);
    expect(workers).toHaveLength(1);
    await tick(1);
    expect(await lost).toBeInstanceOf(RestartedError);
    expect([workers[0].ended, workers[1].ended, notices]).toEqual([true, false, ['restart']]);
    expect(await supervisor.api.work('that')).toBe('that by 2');
  });

  test('gives up after several that never answered, and rejects every call', async () => {
    const { supervisor, workers, notices, tick, hang } = supervised();
    hang(true);
    await tick(3 * MOST_STARTS * SILENT_TICKS);
    expect(workers.map(({ ended }) => ended)).toEqual(Array(MOST_STARTS).fill(true));
    expect(notices.at(-1)).toContain('Reload the page');
    await expect(supervisor.api.work('this')).rejects.toThrow('Reload the page');
  });
});
