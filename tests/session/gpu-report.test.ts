// A device with kernels that compute wrong results is refused with a message.
import { describe, expect, it } from 'vitest';
import { GpuUnavailableError } from '../../src/device/webgpu/device.ts';
import { requireHonest, unsupported } from '../../src/session/device/gpu-report.ts';

const report = (selftest: { kernel: string; ok: boolean; detail: string }[]) => ({
  ...unsupported(new Error('')),
  supported: true,
  adapter: { vendor: 'v', architecture: 'a', description: 'the adapter', isFallback: false },
  selftest,
});

describe('a self-test', () => {
  it('that passed, or has not run yet, raises no error', () => {
    requireHonest(report([]));
    requireHonest(report([{ kernel: 'adamw', ok: true, detail: 'equal' }]));
  });

  it('that failed names the adapter, the kernels and what to do', () => {
    const failing = report([
      { kernel: 'adamw', ok: true, detail: 'equal' },
      { kernel: 'matmul_nt', ok: false, detail: 'It computed 3 instead of 2' },
    ]);
    expect(() => requireHonest(failing)).toThrow(GpuUnavailableError);
    expect(() => requireHonest(failing)).toThrow(/the adapter.* 1 of 2 kernels .*matmul_nt \(It computed 3.*driver/);
  });
});
