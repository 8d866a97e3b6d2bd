// A limited wait for kernels: one that compiles longer is waited for again after another request for it.
import { expect, it } from 'vitest';
import { useGpu } from './open.ts';

const open = useGpu();

it('a kernel that compiles longer than a wait is ready after its next request', async () => {
  const { kernels } = await open();
  const request = () => kernels.request('matmul_nt_scalar', { HAS_BIAS: 1, HAS_RESIDUAL: 1 });
  const handle = request();
  await kernels.settle(undefined, 0);
  expect(handle.isReady).toBe(false);
  expect(() => handle.get()).toThrow('before it was compiled');
  // The same kernel, not another compilation.
  request();
  await kernels.settle();
  expect(handle.isReady).toBe(true);
  expect(request().get()).toBe(handle.get());
});

it('a kernel that does not compile fails a limited wait as any other', async () => {
  const { kernels } = await open();
  kernels.request('matmul_nt_scalar', { HAS_BIAS: 1, HAS_RESIDUAL: 1 }, 'not WGSL');
  await expect(kernels.settle(undefined, 60_000)).rejects.toThrow('matmul_nt_scalar');
});
