/** The views of recorded episodes: a group of one task, or one episode of it, below the choice of step and group. */
import type { Trajectory } from '../../rl/episode/trajectory.ts';
import type { Texts } from './texts.ts';
import { groupView, make, stepper, trajectoryView } from './views.ts';

export interface Place {
  group: number;
  member: number;
  turn: number;
  token: number | null;
}

export interface ShownEpisodes {
  step: number;
  /** Episodes of the step. */
  all: readonly Trajectory[];
  /** Steps whose episodes are kept. */
  kept: readonly number[];
}

/** Changes the attributes of the shown place. */
type Go = (place: { [name: string]: string | number }) => void;

function placeBar({ step, all, kept }: ShownEpisodes, group: number, texts: Texts, go: Go): HTMLElement {
  const groups = Math.max(0, ...all.map((each) => each.group)) + 1;
  const toStep = (by: -1 | 1) => {
    const next = kept[kept.indexOf(step) + by];
    return next === undefined ? null : () => go({ step: next, group: 0, member: 0, turn: 0 });
  };
  const toGroup = (by: -1 | 1) =>
    group + by < 0 || group + by >= groups ? null : () => go({ group: group + by, member: 0, turn: 0 });
  return make('div', 'row', stepper(texts.step, step, texts, toStep), stepper(texts.group, group + 1, texts, toGroup));
}

export function episodesView(
  view: 'group' | 'trajectory',
  shown: ShownEpisodes | null,
  place: Place,
  texts: Texts,
  go: Go,
): HTMLElement {
  const members = (shown?.all ?? []).filter(({ group }) => group === place.group);
  const member = members.find((each) => each.member === place.member) ?? members[0] ?? null;
  const episodes =
    view === 'group'
      ? groupView(members, texts, (each) => go({ view: 'trajectory', member: each, turn: 0 }))
      : trajectoryView(member, place, texts);
  return make('div', '', ...(shown ? [placeBar(shown, place.group, texts, go)] : []), episodes);
}
