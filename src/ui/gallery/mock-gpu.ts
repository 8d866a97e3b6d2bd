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
    sizes: 'NT: M 1024, N × K 768 × 128 | 128 × 128',
    times: [
      { form: 'rows8', ms: 9.4 },
      { form: 'rows4', ms: 8.1 },
      { form: 'tiled', ms: 4.2 },
      { form: 'blocks', ms: 2.6 },
    ],
  },
  {
    choice: 'matmul_nt_few',
    form: 'tiled',
    sizes: 'NT: M 32, N × K 768 × 128 | 128 × 128',
    times: [
      { form: 'blocks', ms: 0.031 },
      { form: 'rows8', ms: 0.06 },
      { form: 'rows4', ms: 0.052 },
      { form: 'tiled', ms: 0.024 },
    ],
  },
  {
    choice: 'attention_many',
    form: 'tiled-subgroups',
    sizes: 'H 4, KV 2, D 32, T 160 + 8 × 96',
    times: null,
  },
];
