/** Styles of the tab Play: the world beside its text, or above it where there is little room. */
import { css } from 'lit';

export const playStyles = css`
  :host {
    display: block;
    padding: 12px;
    container-type: inline-size;
  }
  .head {
    margin-block-end: 10px;
  }
  .head input {
    width: 72px;
  }
  .parts {
    display: grid;
    gap: 12px;
  }
  @container (min-width: 620px) {
    .parts {
      grid-template-columns: minmax(0, 1.2fr) minmax(0, 1fr);
    }
  }
  .said {
    max-height: 240px;
    overflow: auto;
    white-space: pre-wrap;
    overflow-wrap: anywhere;
    font-family: var(--mono);
    font-size: var(--size-s);
    background: var(--surface-2);
    border-radius: var(--radius);
    padding: 8px;
    list-style: none;
  }
  .said .you {
    font-weight: 700;
  }
  .type input {
    flex: 1;
    min-width: 120px;
  }
  .side {
    display: grid;
    gap: 8px;
    align-content: start;
    align-self: start;
    min-width: 0;
  }
  @container (min-width: 620px) {
    .side {
      position: sticky;
      inset-block-start: 0;
    }
  }
  /* Keeps the input line in sight next to a tall view. */
  @container (max-width: 619px) {
    .tall .side {
      order: -1;
    }
    .tall :is(.said, .actions) {
      max-height: 120px;
    }
  }
  .actions {
    max-height: 240px;
    overflow: auto;
    border: 1px solid var(--line);
    border-radius: var(--radius);
    font-family: var(--mono);
    font-size: var(--size-s);
  }
  .actions [role='option'] {
    padding: 2px 8px;
    border-inline-start: 3px solid transparent;
    cursor: pointer;
    overflow-wrap: anywhere;
  }
  .actions [role='option']:hover {
    background: var(--surface-3);
  }
  .actions [aria-selected='true'] {
    border-color: var(--accent);
    background: var(--accent-soft);
  }
  @media (pointer: coarse) {
    .actions [role='option'] {
      padding-block: 8px;
    }
  }
`;
