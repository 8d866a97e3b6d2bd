// Calls to a worker that ends: each pending and each later call rejects, and a finished one keeps its answer.
import { expect, it } from 'vitest';
import { untilLost } from '../../src/library/until-lost.ts';

const never = () => new Promise<string>(() => {});

it('rejects the calls that the lost worker can no longer answer', async () => {
  let lose: (error: Error) => void = () => {};
  const lost = new Promise<never>((_, reject) => {
    lose = reject;
  });
  const service = untilLost({ name: 'service', never, echo: async (text: string) => text }, lost);
  expect(service.name).toBe('service');
  const done = service.echo('first');
  expect(await done).toBe('first');
  const calls = [service.never(), service.never()];
  lose(new Error('the worker stopped'));
  for (const call of calls) await expect(call).rejects.toThrow('the worker stopped');
  await expect(service.echo('late')).rejects.toThrow('the worker stopped');
  expect(await done).toBe('first');
});

it('passes errors of the call on, thrown or rejected', async () => {
  const service = untilLost(
    {
      thrown(): Promise<void> {
        throw new TypeError('thrown');
      },
      rejected: async () => Promise.reject(new RangeError('rejected')),
    },
    new Promise<never>(() => {}),
  );
  await expect(service.thrown()).rejects.toThrow(TypeError);
  await expect(service.rejected()).rejects.toThrow(RangeError);
});
