/** Styles of a group's tree. */
import { css } from 'lit';

export const groupTreeStyles = css`
  :host {
    display: grid;
    gap: 8px;
    /* A grid's column is as wide as its longest word otherwise. */
    grid-template-columns: minmax(0, 1fr);
  }
  .line {
    --indent: calc(min(var(--level) - 1, 12) * var(--step));
    --step: 16px;
    display: grid;
    grid-template-columns: var(--indent) 24px minmax(0, 1fr) 6.5em 7em 5.2em;
    gap: 0 6px;
    align-items: center;
    min-height: 30px;
    padding: 2px 6px 2px 2px;
    border: 1px solid transparent;
    border-radius: var(--radius);
  }
  [role='treeitem'] {
    cursor: pointer;
  }
  [role='treeitem']:hover {
    background: var(--surface-3);
  }
  [role='treeitem'][aria-selected='true'] {
    background: var(--accent-soft);
    border-color: var(--accent);
  }
  .line.marked {
    box-shadow: inset 0 0 0 2px var(--accent);
  }
  .guides {
    align-self: stretch;
    background: repeating-linear-gradient(to right, var(--line) 0 1px, transparent 1px var(--step));
  }
  .twisty {
    display: grid;
    place-content: center;
    width: 24px;
    height: 24px;
    color: var(--text-2);
  }
  .what {
    display: flex;
    flex-wrap: wrap;
    gap: 2px 8px;
    align-items: center;
    min-width: 0;
  }
  .actions,
  .observation {
    min-width: 0;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
    font-family: var(--mono);
    font-size: var(--size-s);
  }
  .observation {
    color: var(--text-2);
    font-style: italic;
  }
  .label {
    font-size: var(--size-s);
    color: var(--text-2);
    white-space: nowrap;
  }
  .episodes,
  .advantage {
    text-align: end;
    font-size: var(--size-s);
    white-space: nowrap;
  }
  .value {
    display: grid;
    grid-template-columns: minmax(0, 1fr) 3em;
    gap: 6px;
    align-items: center;
    font-size: var(--size-s);
    text-align: end;
  }
  .bar {
    height: 6px;
    border-radius: 2px;
    background: var(--surface-3);
    overflow: hidden;
  }
  .bar span {
    display: block;
    height: 100%;
    background: var(--text-2);
  }
  button.chip {
    min-height: 24px;
    padding: 0 7px;
    border-radius: 999px;
    font-size: var(--size-s);
    max-width: 100%;
    white-space: normal;
    text-align: start;
  }
  .headings {
    min-height: 0;
    color: var(--text-2);
  }
  .headings > span {
    font-size: var(--size-s);
    text-align: end;
  }
  .headings > :nth-child(3) {
    text-align: start;
  }
  .anchor {
    position: sticky;
    bottom: 0;
    max-height: 40vh;
    overflow: auto;
    display: grid;
    gap: 6px;
    padding: 8px 12px;
    background: var(--surface);
    border: 1px solid var(--accent);
    border-radius: var(--radius);
  }
  .anchor pre {
    margin: 0;
    max-height: 7.5em;
    overflow: auto;
    white-space: pre-wrap;
    overflow-wrap: anywhere;
    font-family: var(--mono);
    font-size: var(--size-s);
  }
  .anchor ul {
    display: grid;
    gap: 2px;
    list-style: none;
  }
  .anchor li {
    display: flex;
    flex-wrap: wrap;
    gap: 0 10px;
    align-items: center;
    font-size: var(--size-s);
  }
  .anchor li .actions {
    max-width: 100%;
  }
  /* The row in focus is not behind the box. */
  .anchored [role='treeitem'] {
    scroll-margin-block-end: 42vh;
  }
  @media (max-width: 860px) {
    .line {
      --step: 7px;
      grid-template-columns: var(--indent) 24px minmax(0, 1fr) auto auto;
    }
    .what {
      grid-column: 3 / -1;
    }
    .actions,
    .observation {
      white-space: normal;
      overflow-wrap: anywhere;
    }
    .episodes {
      grid-column: 3;
      text-align: start;
    }
    .value {
      grid-template-columns: 40px 3em;
    }
    .guides {
      grid-row: 1 / 3;
    }
    .headings {
      display: none;
    }
  }
`;
