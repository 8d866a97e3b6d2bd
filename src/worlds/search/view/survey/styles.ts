/** Styles of the view of a survey. */
import { css } from 'lit';

export const surveyStyles = css`
  :host {
    display: block;
    container-type: inline-size;
  }
  .parts {
    display: grid;
    gap: 12px;
    overflow-wrap: anywhere;
  }
  .question {
    font-size: var(--size-l);
  }
  .head {
    display: flex;
    flex-wrap: wrap;
    gap: 6px;
    align-items: center;
  }
  .head h3 {
    flex: 1 1 140px;
  }
  h3 {
    color: var(--text-2);
    font-size: var(--size-s);
  }
  ul,
  ol {
    margin: 0;
    padding-inline-start: 20px;
  }
  ul {
    list-style: none;
    padding: 0;
  }
  .scroll {
    overflow-x: auto;
  }
  table {
    inline-size: 100%;
    border-collapse: collapse;
    font-size: var(--size-s);
  }
  th,
  td {
    padding: 4px 6px;
    border-block-end: 1px solid var(--line);
    text-align: start;
    vertical-align: top;
  }
  th {
    color: var(--text-2);
    font-weight: 600;
  }
  .place {
    white-space: nowrap;
    font-weight: 600;
  }
  .good {
    color: var(--good);
  }
  .bad {
    color: var(--bad);
  }
  .document {
    padding: 4px 8px;
    border-inline-start: 3px solid var(--accent);
    background: var(--surface-2);
    font-size: var(--size-s);
  }
  @container (max-width: 520px) {
    thead {
      position: absolute;
      inline-size: 1px;
      block-size: 1px;
      overflow: hidden;
      clip-path: inset(50%);
    }
    tr {
      display: grid;
      grid-template-columns: minmax(0, 1fr) auto;
      border-block-end: 1px solid var(--line);
    }
    th,
    td {
      border: 0;
    }
    .wide {
      grid-column: 1 / -1;
      padding-block-start: 0;
    }
  }
`;
