/** Styles of the Talk tab. */
import { css } from 'lit';

export const talkStyles = css`
  :host {
    display: grid;
    grid-template-rows: auto minmax(0, 1fr) auto auto;
    gap: 8px;
    height: 100%;
    padding: 12px;
    min-height: 260px;
  }
  .head {
    gap: 6px 14px;
  }
  .head .name {
    overflow-wrap: anywhere;
  }
  .head label {
    gap: 4px;
  }
  .head input {
    width: 72px;
  }
  .log {
    overflow: auto;
    display: grid;
    align-content: start;
    gap: 10px;
    padding: 4px 2px;
  }
  .said {
    display: grid;
    gap: 2px;
    justify-items: start;
    max-width: 760px;
  }
  .said p {
    white-space: pre-wrap;
    overflow-wrap: anywhere;
    padding: 6px 10px;
    border-radius: var(--radius);
    background: var(--surface-2);
  }
  .said.you p {
    background: var(--accent-soft);
  }
  .said .who {
    font-size: var(--size-s);
    color: var(--text-2);
    overflow-wrap: anywhere;
  }
  .starters {
    display: grid;
    gap: 8px;
    justify-items: start;
    padding-block: 12px;
  }
  .starters button {
    white-space: normal;
    text-align: start;
  }
  .ask {
    display: grid;
    grid-template-columns: minmax(0, 1fr) auto;
    gap: 4px 8px;
    align-items: stretch;
  }
  .ask textarea {
    resize: vertical;
  }
  .ask .keys {
    grid-column: 1 / -1;
  }
  @media (prefers-reduced-motion: no-preference) {
    .caret {
      animation: blink 1s steps(2) infinite;
    }
  }
  @keyframes blink {
    to {
      opacity: 0;
    }
  }
`;
