/**
 * Slow motion: walks through the recorded episodes of a step by one token, turn or episode; at the end of the step
 * comes one update. The position is the page's selection, so the stage and the cards follow it. Pure except for
 * `slowMotion`.
 */
import { msg } from '@lit/localize';
import { html } from 'lit';
import type { CardPart } from '../../rl/common/formula.ts';
import { TokenSource, type Trajectory } from '../../rl/episode/trajectory.ts';
import type { Controller } from '../control/controller.ts';
import { isActive } from '../control/events.ts';
import type { Place } from '../state/place.ts';
import type { Selection } from '../state/selection.ts';

export type Pace = 'token' | 'turn' | 'episode';

type Move = Partial<Selection> | null;

const at = (trajectory: Trajectory, token: number): Partial<Selection> => ({
  turn: Math.max(0, trajectory.turnOf[token]),
  token,
});

/** Next token that the policy chose, or first token of the next observation. */
function nextToken({ trajectory, token }: Place): Move {
  if (!trajectory) return null;
  const start = token === null ? trajectory.promptLength : token + 1;
  for (let k = start; k < trajectory.tokens.length; k++) {
    const answers = trajectory.source[k] !== TokenSource.policy && trajectory.source[k - 1] === TokenSource.policy;
    if (trajectory.source[k] === TokenSource.policy || answers) return at(trajectory, k);
  }
  return null;
}

function nextTurn({ trajectory, turn, token }: Place): Move {
  const next = token === null ? 0 : turn + 1;
  const there = trajectory?.turns[next];
  return there ? { turn: next, token: there.actionStart } : null;
}

function nextEpisode({ all, trajectory }: Place): Move {
  const next = trajectory ? all[all.indexOf(trajectory) + 1] : all[0];
  return next ? { group: next.group, member: next.member, turn: 0, token: next.turns[0]?.actionStart ?? null } : null;
}

const moves: { readonly [pace in Pace]: (place: Place) => Move } = {
  token: nextToken,
  turn: nextTurn,
  episode: nextEpisode,
};

/**
 * Next position at a pace. At the end of an episode it is the start of the next episode. Returns null after the last
 * episode.
 */
const nextPlace = (place: Place, pace: Pace): Move => moves[pace](place) ?? nextEpisode(place);

/**
 * Card for the selected place: "act" for a policy's token, "reward" for the last observation of an episode, "observe"
 * for any other token, "update" just after an update.
 */
export function partAt({ trajectory, token, turn, facts }: Place, updated: boolean): CardPart | null {
  if (updated) return 'update';
  if (!trajectory || token === null || !facts) return null;
  if (facts.source === 'policy') return 'act';
  const last = turn === trajectory.turns.length - 1 && facts.turn >= 0;
  return last ? 'reward' : 'observe';
}

const words = (): { [pace in Pace]: string } => ({ token: msg('Token'), turn: msg('Turn'), episode: msg('Episode') });

/** Buttons of slow motion. `updated` is called by the Update button. */
export function slowMotion(app: Controller, place: Place, updated: () => void) {
  const walk = (pace: Pace) => {
    const move = nextPlace(place, pace);
    if (move) app.navigation.select({ ...move, tab: 'trajectory' });
  };
  const active = isActive(app.store.state.status);
  const button = (pace: Pace) =>
    html`<button data-do=${`slow-${pace}`} ?disabled=${!place.all.length || !nextPlace(place, pace)} @click=${() => walk(pace)}>${words()[pace]} ›</button>`;
  return html`<div class="row slow" role="group" aria-label=${msg('Slow motion: next')}>
    <span class="soft small">${msg('Next:')}</span>
    ${button('token')}${button('turn')}${button('episode')}
    <button data-do="slow-update" ?disabled=${active || app.store.state.busy !== null} @click=${updated}>${msg('Update')} ›</button>
  </div>`;
}
