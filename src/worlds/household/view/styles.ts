/** Styles of the household's view. */
import { css } from 'lit';

export const householdStyles = css`
  :host {
    display: block;
  }
  .parts {
    display: grid;
    gap: 12px;
  }
  .task {
    font-size: var(--size-l);
    overflow-wrap: anywhere;
  }
  .won {
    color: var(--good);
  }
  ul {
    list-style: none;
  }
  .goals {
    display: flex;
    flex-wrap: wrap;
    gap: 4px 12px;
    font-size: var(--size-s);
  }
  .goals .done {
    color: var(--good);
  }
  .hand {
    display: flex;
    flex-wrap: wrap;
    gap: 8px;
    align-items: center;
    padding: 6px 8px;
    border: 1px solid var(--line-strong);
    border-radius: var(--radius);
  }
  h3 {
    margin-block-end: 4px;
    color: var(--text-2);
    font-size: var(--size-s);
  }
  .places {
    display: grid;
    grid-template-columns: repeat(auto-fill, minmax(170px, 1fr));
    gap: 8px;
  }
  .place {
    display: grid;
    gap: 4px;
    align-content: start;
    padding: 6px 8px;
    border: 1px solid var(--line);
    border-radius: var(--radius);
    background: var(--surface);
    font-size: var(--size-s);
  }
  .place.closed {
    border-style: dashed;
    background: var(--surface-2);
  }
  .place.here {
    border: 2px solid var(--accent);
  }
  .head {
    display: flex;
    flex-wrap: wrap;
    gap: 4px 6px;
    align-items: baseline;
  }
  .things {
    display: grid;
    gap: 4px;
  }
  .things li,
  .buttons {
    display: flex;
    flex-wrap: wrap;
    gap: 4px;
    align-items: center;
  }
  .badge.hot {
    border-inline-start: 3px solid #d55e00;
  }
  .badge.cool {
    border-inline-start: 3px solid #0072b2;
  }
  .badge.clean {
    border-inline-start: 3px solid #009e73;
  }
`;
