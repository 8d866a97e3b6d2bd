/** Styles of cards, formulas and their numbers. */
import { css } from 'lit';

export const learnStyles = css`
  :host {
    display: block;
  }
  /* Four tabs and the button fit in one line of the pane's usual width. */
  .bar {
    gap: 4px;
    padding-inline: 4px;
  }
  .bar button {
    padding-inline: 7px;
  }
  .cards {
    display: grid;
    gap: 12px;
    grid-template-columns: minmax(0, 1fr);
  }
  .place {
    font-weight: 600;
    overflow-wrap: anywhere;
  }
  .slow {
    gap: 4px;
  }
  .slow > .soft {
    flex-basis: 100%;
  }
  .slow > button {
    flex: 1 1 auto;
  }
  .card {
    display: grid;
    gap: 8px;
    grid-template-columns: minmax(0, 1fr);
    padding: 10px;
    border: 1px solid var(--line);
    border-inline-start: 4px solid var(--line);
    border-radius: var(--radius);
  }
  .card.active {
    border-color: var(--accent);
  }
  .formula {
    overflow-x: auto;
    padding: 6px 4px;
    font-size: 1.05rem;
    background: var(--surface-2);
    border-radius: 4px;
  }
  .formula.live {
    background: var(--accent-soft);
  }
  math {
    margin: 0;
  }
  .symbol {
    cursor: help;
  }
  .symbol:hover {
    background: color-mix(in oklab, var(--accent) 22%, transparent);
  }
  .symbols {
    list-style: none;
    display: grid;
    gap: 1px;
  }
  .symbol-row {
    display: grid;
    grid-template-columns: 2.6em minmax(0, 1fr) auto;
    justify-content: stretch;
    gap: 8px;
    width: 100%;
    min-height: 26px;
    padding: 1px 4px;
    text-align: start;
    white-space: normal;
    font-size: var(--size-s);
  }
  .symbol-row .name {
    font: italic 0.95rem / 1.3 "STIX Two Math", "Cambria Math", "Latin Modern Math", Georgia, serif;
  }
  .symbol-row sub,
  .symbol-row sup {
    font-size: 0.7em;
    line-height: 0;
  }
  .symbol-row .meaning {
    color: var(--text-2);
  }
  .symbol-row .value {
    font-weight: 600;
  }
  .why {
    padding: 8px 10px;
    border-radius: 4px;
    background: var(--surface-2);
  }
  .why h4 {
    font-size: var(--size-m);
    margin-block-end: 4px;
    overflow-wrap: anywhere;
  }
  .why ul {
    padding-inline-start: 1.2em;
    display: grid;
    gap: 3px;
  }
  .weights caption {
    text-align: start;
    padding-block-end: 4px;
  }
  .weights th,
  .weights td {
    padding: 2px 4px;
  }
  .weights td {
    white-space: nowrap;
  }
  .moved {
    display: inline-block;
    width: 84px;
    height: 7px;
    margin-inline-end: 6px;
    background: var(--surface-3);
  }
  .moved span {
    display: block;
    height: 100%;
    background: var(--series-1);
  }
`;
