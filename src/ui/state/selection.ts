/**
 * The selected place: step, group, member (an episode), turn and token. The address's hash contains it, so that a link
 * opens the same place. A null step follows the newest one.
 */
export type StageTab = 'watch' | 'group' | 'trajectory' | 'read' | 'evaluate' | 'play' | 'talk';

/** True for the tabs that show the episodes of the selected step. */
export const showsEpisodes = (tab: StageTab): boolean => tab === 'group' || tab === 'trajectory';

export interface Selection {
  run: string | null;
  step: number | null;
  group: number;
  member: number;
  turn: number;
  token: number | null;
  tab: StageTab;
  /** Source in the Read tab: a file's name, or `run` for the episodes of the run; null if nothing is open. */
  source: string | null;
  /** In the Read tab: the open record, and the record it is compared with. */
  record: number | null;
  beside: number | null;
  /** Filter and order of the list (src/ui/reader/list-link.ts). */
  list: string | null;
}

export const noSelection: Selection = {
  run: null,
  step: null,
  group: 0,
  member: 0,
  turn: 0,
  token: null,
  tab: 'watch',
  source: null,
  record: null,
  beside: null,
  list: null,
};

const tabs: readonly StageTab[] = ['watch', 'group', 'trajectory', 'read', 'evaluate', 'play', 'talk'];

const whole = (text: string | null): number | null => (text !== null && /^\d{1,9}$/.test(text) ? Number(text) : null);

export function parseHash(hash: string): Selection {
  const query = new URLSearchParams(hash.replace(/^#/, ''));
  const tab = tabs.find((each) => each === query.get('tab')) ?? 'watch';
  return {
    run: query.get('run') || null,
    step: whole(query.get('step')),
    group: whole(query.get('group')) ?? 0,
    member: whole(query.get('member')) ?? 0,
    turn: whole(query.get('turn')) ?? 0,
    token: whole(query.get('token')),
    tab,
    source: query.get('source') || null,
    record: whole(query.get('record')),
    beside: whole(query.get('beside')),
    list: query.get('list') || null,
  };
}

/** Contains only values that differ from the defaults, so that links stay short. */
export function formatHash(selection: Selection): string {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(selection))
    if (value !== noSelection[key as keyof Selection] && value !== null) query.set(key, String(value));
  const text = query.toString();
  return text ? `#${text}` : '';
}
