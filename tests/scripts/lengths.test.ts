import { describe, expect, it } from 'vitest';
import { tooLong } from '../../scripts/lengths.mjs';

const lines = (count: number) => `${'x();\n'.repeat(count)}`;

describe('lengths of files', () => {
  it('refuses more than 450 lines', () => {
    expect(tooLong(lines(450))).toBeNull();
    expect(tooLong(lines(451))).toBe(451);
  });

  it('accepts a reason in the opening comment, and nowhere else', () => {
    expect(tooLong(`/** A list. Long because its parts are alike. */\n${lines(451)}`)).toBeNull();
    expect(tooLong(`// A list.\n// Long because its parts are alike.\n${lines(451)}`)).toBeNull();
    expect(tooLong(`/** A list. */\n${lines(450)}/** Long because it is. */`)).toBe(452);
    expect(tooLong(`/** Long because */\n${lines(451)}`)).toBe(452);
  });
});
