/** Styles of the comparison of methods. */
import { css } from 'lit';

export const compareStyles = css`
  :host {
    display: grid;
    gap: 10px;
    grid-template-columns: minmax(0, 1fr);
    padding-block: 4px 16px;
  }
  section {
    display: grid;
    gap: 6px;
    grid-template-columns: minmax(0, 1fr);
  }
  input[type='file'] {
    display: none;
  }
  .choices {
    display: grid;
    grid-template-columns: repeat(auto-fill, minmax(9em, 1fr));
    gap: 0 8px;
    padding-block: 6px;
  }
  label.choice {
    display: flex;
    gap: 6px;
    align-items: center;
    min-height: 26px;
  }
  .scroll {
    overflow: auto;
  }
  .scroll.tall {
    max-height: 420px;
  }
  .columns {
    display: flex;
    gap: 8px;
    align-items: stretch;
    padding-block-end: 6px;
  }
  .method {
    flex: 0 0 236px;
    display: grid;
    gap: 5px;
    align-content: start;
    grid-template-columns: minmax(0, 1fr);
    padding: 8px;
    border: 1px solid var(--line);
    border-radius: var(--radius);
  }
  .method h4 {
    margin: 0;
  }
  h5 {
    margin: 0;
    font-size: var(--size-s);
    color: var(--text-2);
  }
  .note {
    padding: 3px 6px;
    border-inline-start: 3px solid var(--accent);
    background: var(--surface-2);
  }
  .knob {
    display: grid;
    grid-template-columns: minmax(0, 1fr) 92px;
    gap: 6px;
    align-items: center;
    font-size: var(--size-s);
  }
  .knob input,
  .knob select {
    width: 100%;
  }
  [aria-invalid='true'] {
    border-color: var(--bad) !important;
  }
  .differs {
    background: var(--accent-soft);
    border-block-end: 2px solid var(--accent);
  }
  .error {
    color: var(--bad);
  }
  table {
    font-size: var(--size-s);
    border-collapse: collapse;
  }
  th,
  td {
    padding: 3px 7px;
    border-block-end: 1px solid var(--line);
    text-align: end;
    white-space: nowrap;
  }
  th[scope='row'] {
    text-align: start;
    font-weight: 400;
    position: sticky;
    inset-inline-start: 0;
    background: var(--surface);
    z-index: 1;
    max-width: 13em;
    overflow: hidden;
    text-overflow: ellipsis;
  }
  .tall thead th,
  .tall thead td {
    position: sticky;
    inset-block-start: 0;
    background: var(--surface);
    z-index: 2;
  }
  .cosine {
    background: color-mix(in oklab, var(--pull, transparent) var(--share, 0%), transparent);
  }
  .share {
    position: relative;
    min-width: 92px;
  }
  .bar {
    position: absolute;
    inset-block: 3px;
    width: var(--length);
    opacity: 0.28;
  }
  .bar.up {
    inset-inline-start: 50%;
    background: var(--accent);
  }
  .bar.down {
    inset-inline-end: 50%;
    background: var(--bad);
  }
  .value {
    position: relative;
  }
  .up-sign {
    color: var(--accent);
  }
  .down-sign {
    color: var(--bad);
  }
`;
