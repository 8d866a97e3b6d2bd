/** Places in the address. */
import { describe, expect, test } from 'vitest';
import { formatHash, noSelection, parseHash } from '../../src/ui/state/selection.ts';

describe('the place in the URL', () => {
  test('is written and read back', () => {
    const place = {
      ...{ run: 'run-1', step: 42, group: 3, member: 1, turn: 2, token: 17, tab: 'trajectory' as const },
      ...{ source: 'a file & more.jsonl', record: 12, beside: 0, list: 'success=yes&text=oak+log&sort=-score' },
    };
    expect(parseHash(formatHash(place))).toEqual(place);
    expect(formatHash(noSelection)).toBe('');
  });

  test('with nonsense is empty', () => {
    expect(parseHash('#step=-3&group=x&tab=evil&token=1e9')).toEqual(noSelection);
  });
});
