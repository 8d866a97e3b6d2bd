/** Styles of views in which calls and their answers stand beside the state that they are about. */
import { css } from 'lit';

export const callStyles = css`
  :host {
    display: block;
    container-type: inline-size;
  }
  .parts {
    display: grid;
    gap: 12px;
  }
  .beside {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: 16px;
    align-items: start;
  }
  h3 {
    margin-block-end: 4px;
    color: var(--text-2);
    font-size: var(--size-s);
  }
  ol {
    display: grid;
    gap: 8px;
    list-style: none;
  }
  .call,
  .answer {
    font-family: var(--mono);
    font-size: var(--size-s);
    overflow-wrap: anywhere;
  }
  .answer {
    margin-block-start: 2px;
    padding: 4px 8px;
    border-inline-start: 3px solid var(--line-strong);
    background: var(--surface-2);
    white-space: pre-wrap;
  }
  .refused {
    border-color: var(--bad);
  }
  .scroll {
    overflow-x: auto;
  }
  table {
    border-collapse: collapse;
    font-size: var(--size-s);
  }
  caption {
    text-align: start;
    padding-block: 4px;
    font-weight: 600;
  }
  th,
  td {
    text-align: start;
    padding: 2px 8px 2px 0;
    border-block-end: 1px solid var(--line);
    vertical-align: top;
  }
  th {
    color: var(--text-2);
    font-weight: normal;
  }
`;
