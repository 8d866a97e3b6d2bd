// Which sizes take the kernel that computes both backward products of an adapter in one pass.
import { describe, expect, it } from 'vitest';
import { bothForm } from '../../src/policy/engine/low-rank-forms.ts';

/** Gate and up of Qwen2.5-0.5B, 1,024 tokens. */
const sizes = { T: 1024, N: 9728, rank: 16, width: 32, isAligned: true, shared: true };
const parts = [4864, 4864];
const room = { partials: 1 << 20, sums: 1024 * 4864, product: 2048 * 48 };

describe('both backward products in one kernel', () => {
  it('of gate and up: blocks of 256 rows by chunks of 256 tokens', () => {
    const form = bothForm(sizes, parts, room);
    expect(form).toMatchObject({ name: 'lora_up_backward_both', blocks: 19, chunk: 256, workgroups: 2 * 19 * 4 });
    expect(form?.constants).toEqual({ FOURS: 4, VECTORS: 16, SHARE: 4 });
  });

  it('have as many chunks as their partial sums have room for', () => {
    expect(bothForm({ ...sizes, T: 4096 }, parts, room)).toMatchObject({
      chunk: Math.ceil(4096 / 6),
      workgroups: 38 * 6,
    });
    expect(bothForm(sizes, parts, { ...room, partials: 2 * 9728 * 16 })).toMatchObject({ chunk: 512, workgroups: 76 });
  });

  it.each([
    ['fewer than 66 workgroups', { T: 256 }, parts, {}],
    ['a rank of 12', { rank: 12, width: 24 }, parts, {}],
    ['a rank of 32', { rank: 32, width: 64 }, parts, {}],
    ['parts with unequal blocks', {}, [8960, 768], {}],
    ['sizes that four does not divide', { isAligned: false }, parts, {}],
    ['sums that lanes do not share', { shared: false }, parts, {}],
    ['no room for the sums of the blocks', {}, parts, { sums: 19 * 2048 * 48 - 1 }],
    ['no room for a chunk', {}, parts, { partials: 9728 * 16 - 1 }],
  ] as const)('%s: two kernels', (_, size, rows, space) => {
    expect(bothForm({ ...sizes, ...size }, rows, { ...room, ...space })).toBeNull();
  });
});
