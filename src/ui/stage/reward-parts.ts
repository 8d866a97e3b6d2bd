/** Parts of an episode's reward: a row of columns, the same in each episode of a group. */
import { msg } from '@lit/localize';
import { css, html, nothing } from 'lit';
import { colon, fixed } from '../kit/format.ts';
import type { partsOf } from '../state/reward-parts.ts';

export const partStyles = css`
  .reward-parts {
    grid-column: 1 / -1;
    display: grid;
    grid-template-columns: repeat(auto-fill, minmax(11em, 1fr));
    gap: 0 12px;
    font-size: var(--size-s);
    color: var(--text-2);
  }
  .reward-parts > span {
    display: flex;
    justify-content: space-between;
    gap: 6px;
    min-width: 0;
  }
  .reward-parts .column {
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
`;

/** Nothing for an episode whose reward is the world's score. */
export const partsTemplate = (parts: ReturnType<typeof partsOf>) =>
  parts.length === 0
    ? nothing
    : html`<span class="reward-parts"><span class="visually-hidden">${msg('Parts of the reward')}${colon()}</span>${parts.map(
        ({ column, value }) =>
          html`<span><span class="column" title=${column}>${column}</span> <span class="number">${value === null ? '–' : fixed(value)}</span></span>`,
      )}</span>`;
