/** Filter and order of the list as a short query string for the address. Default values are left out. Pure. */
import {
  type Filter,
  fileOrder,
  noFilter,
  orderKeys,
  type RecordOrder,
} from '../../trajectories/files/record-filter.ts';

const number = (text: string | null): number | null =>
  text !== null && /^-?\d{1,12}(\.\d{1,9})?$/.test(text) ? Number(text) : null;

const range = (least: number | null, most: number | null): string => `${least ?? ''}..${most ?? ''}`;

export function listToText(filter: Filter, { by, descending }: RecordOrder): string {
  const query = new URLSearchParams();
  if (filter.success !== noFilter.success) query.set('success', filter.success);
  if (filter.world !== null) query.set('world', filter.world);
  if (filter.family !== null) query.set('family', filter.family);
  if (filter.leastScore !== null || filter.mostScore !== null)
    query.set('score', range(filter.leastScore, filter.mostScore));
  if (filter.leastTurns !== null || filter.mostTurns !== null)
    query.set('turns', range(filter.leastTurns, filter.mostTurns));
  if (filter.step !== null) query.set('step', String(filter.step));
  if (filter.text) query.set('text', filter.text);
  if (by !== fileOrder.by || descending) query.set('sort', `${descending ? '-' : ''}${by}`);
  return query.toString();
}

export function listFromText(text: string | null): { filter: Filter; sorting: RecordOrder } {
  const query = new URLSearchParams(text ?? '');
  const [leastScore, mostScore] = (query.get('score') ?? '..').split('..').map(number);
  const [leastTurns, mostTurns] = (query.get('turns') ?? '..').split('..').map(number);
  const sort = query.get('sort') ?? '';
  const success = (['yes', 'no', 'unknown'] as const).find((each) => each === query.get('success'));
  return {
    filter: {
      success: success ?? 'any',
      world: query.get('world'),
      family: query.get('family'),
      leastScore,
      mostScore: mostScore ?? null,
      leastTurns,
      mostTurns: mostTurns ?? null,
      step: number(query.get('step')),
      text: query.get('text') ?? '',
    },
    sorting: {
      by: orderKeys.find((each) => each === sort.replace(/^-/, '')) ?? fileOrder.by,
      descending: sort.startsWith('-'),
    },
  };
}
