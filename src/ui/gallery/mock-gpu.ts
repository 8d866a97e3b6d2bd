/** GPU reports of two browsers: one that trains, and one without WebGPU. */
import type { GpuReport } from '../../session/protocol.ts';
import type { GpuDetails } from '../state/state.ts';

export const supported: GpuReport = {
  supported: true,
  problem: '',
  adapter: { vendor: 'intel', architecture: 'xe', description: 'Intel Iris Xe', isFallback: false },
  features: ['shader-f16', 'subgroups', 'timestamp-query'],
  limits: {
    maxBufferSize: 2147483644,
    maxStorageBufferBindingSize: 2147483644,
    maxComputeInvocationsPerWorkgroup: 1024,
  },
  selftest: [
    'matmul',
    'rmsnorm_forward',
    'rmsnorm_backward',
    'attention_forward',
    'attention_backward',
    'adamw',
    'sample',
  ].map((kernel) => ({
    kernel,
    ok: true,
    detail: 'largest difference 2e-6',
  })),
};

export const unsupported: GpuReport = {
  ...supported,
  supported: false,
  problem: 'This browser offers no WebGPU (navigator.gpu is missing).',
  adapter: { vendor: '', architecture: '', description: '', isFallback: false },
  features: [],
  limits: {},
  selftest: [],
};

export const measuredForms: NonNullable<GpuDetails['forms']> = [
  {
    choice: 'matmul_nt_many',
    form: 'blocks',
    times: [
      { form: 'rows8', ms: 9.4 },
      { form: 'rows4', ms: 8.1 },
      { form: 'tiled', ms: 4.2 },
      { form: 'blocks', ms: 2.6 },
    ],
  },
  {
    choice: 'matmul_nt_narrow',
    form: 'lanes',
    times: [
      { form: 'wide', ms: 0.34 },
      { form: 'lanes', ms: 0.02 },
    ],
  },
];
