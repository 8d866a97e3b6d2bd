/** Ownership of a run by Web Locks. */
import { expect, it } from 'vitest';
import { WebLocks } from '../../src/session/service/ownership.ts';

const rejecting = (name: string) =>
  new WebLocks({ request: () => Promise.reject(new DOMException('refused', name)) } as unknown as LockManager);

it('a browser that denies locks, as it does with storage, leaves the run to this session', async () => {
  const locks = rejecting('SecurityError');
  expect(await locks.acquire('a', () => {})).not.toBeNull();
  expect(await locks.steal('a', () => {})).not.toBeNull();
  await expect(rejecting('NotSupportedError').acquire('a', () => {})).rejects.toThrow('refused');
});
