/** Styles that components share: controls, tables, badges, states. */
import { css } from 'lit';

export const controls = css`
  *,
  *::before,
  *::after {
    box-sizing: border-box;
  }
  :host([hidden]),
  [hidden] {
    display: none !important;
  }
  h2,
  h3,
  h4,
  p,
  dl,
  dd,
  ul,
  ol,
  fieldset,
  figure {
    margin: 0;
    padding: 0;
    border: 0;
  }
  h2 {
    font-size: var(--size-s);
    font-weight: 650;
    letter-spacing: 0.06em;
    text-transform: uppercase;
    color: var(--text-2);
  }
  h3 {
    font-size: var(--size-m);
    font-weight: 650;
  }
  button,
  select,
  input,
  textarea {
    font: inherit;
    color: inherit;
  }
  button {
    display: inline-flex;
    align-items: center;
    justify-content: center;
    gap: 6px;
    min-height: 28px;
    padding: 3px 10px;
    border: 1px solid var(--line);
    border-radius: var(--radius);
    background: var(--surface);
    cursor: pointer;
    white-space: nowrap;
  }
  button:hover:not(:disabled) {
    background: var(--surface-3);
  }
  button:disabled {
    cursor: default;
    color: var(--text-2);
    background: var(--surface-2);
  }
  button.primary {
    background: var(--accent);
    border-color: var(--accent);
    color: var(--on-accent);
    font-weight: 650;
  }
  button.primary:hover:not(:disabled) {
    background: color-mix(in oklab, var(--accent) 88%, var(--text));
  }
  button.primary:disabled {
    background: var(--surface-3);
    border-color: var(--line);
    color: var(--text-2);
  }
  button.quiet {
    border-color: transparent;
    background: none;
  }
  button.link {
    min-height: 24px;
    padding: 0 2px;
    border: 0;
    background: none;
    color: var(--accent);
    text-decoration: underline;
    text-underline-offset: 2px;
  }
  button[aria-pressed='true'],
  button[aria-expanded='true']:not(.primary) {
    background: var(--accent-soft);
    border-color: var(--accent);
    color: var(--accent);
  }
  select,
  input:not([type='checkbox']):not([type='range']),
  textarea {
    min-height: 28px;
    padding: 3px 7px;
    border: 1px solid var(--line-strong);
    border-radius: var(--radius);
    background: var(--surface);
    min-width: 0;
  }
  input[type='checkbox'],
  input[type='range'] {
    accent-color: var(--accent);
  }
  :focus-visible {
    outline: 2px solid var(--accent);
    outline-offset: 1px;
  }
  .number {
    font-variant-numeric: tabular-nums;
  }
  .mono {
    font-family: var(--mono);
  }
  .soft {
    color: var(--text-2);
  }
  .small {
    font-size: var(--size-s);
  }
  .good {
    color: var(--good);
  }
  .bad {
    color: var(--bad);
  }
  .warn {
    color: var(--warn);
  }
  .badge {
    display: inline-flex;
    align-items: center;
    gap: 4px;
    padding: 0 7px;
    border-radius: 999px;
    font-size: var(--size-s);
    line-height: 1.6;
    background: var(--surface-3);
    white-space: nowrap;
  }
  .badge.good {
    background: var(--good-soft);
  }
  .badge.bad {
    background: var(--bad-soft);
  }
  .badge.warn {
    background: var(--warn-soft);
  }
  .row {
    display: flex;
    align-items: center;
    gap: var(--gap);
    flex-wrap: wrap;
  }
  .spread {
    justify-content: space-between;
  }
  .visually-hidden {
    position: absolute;
    width: 1px;
    height: 1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }
  table {
    border-collapse: collapse;
    width: 100%;
    font-variant-numeric: tabular-nums;
  }
  th {
    font-weight: 600;
    text-align: start;
    color: var(--text-2);
    font-size: var(--size-s);
  }
  th,
  td {
    padding: 4px 8px;
    border-bottom: 1px solid var(--line);
  }
  td.number,
  th.number {
    text-align: end;
  }
  .state {
    display: grid;
    place-content: center;
    justify-items: center;
    gap: 8px;
    padding: 24px;
    text-align: center;
    color: var(--text-2);
    min-height: 120px;
  }
  .state > * {
    max-width: 46ch;
  }
  .state strong {
    color: var(--text);
    font-size: var(--size-l);
  }
  .message {
    padding: 8px 10px;
    border-radius: var(--radius);
    background: var(--surface-2);
    border-inline-start: 3px solid var(--line-strong);
  }
  .message.error {
    background: var(--bad-soft);
    border-color: var(--bad);
  }
  .message.warning {
    background: var(--warn-soft);
    border-color: var(--warn);
  }
  progress {
    width: 100%;
    height: 6px;
    accent-color: var(--accent);
  }
  kbd {
    font: 600 var(--size-s) / 1.5 var(--mono);
    padding: 0 5px;
    border: 1px solid var(--line-strong);
    border-radius: 4px;
    background: var(--surface-2);
  }
  @media (prefers-reduced-motion: reduce) {
    *,
    *::before,
    *::after {
      animation: none !important;
      transition: none !important;
      scroll-behavior: auto !important;
    }
  }
  /* Backgrounds and own colours are gone there, except those of marks without a text: bars and dots. */
  @media (forced-colors: active) {
    :is(span, i, div):empty {
      forced-color-adjust: none;
    }
    [role='tab'] {
      border-color: Canvas !important;
    }
    [role='tab'][aria-selected='true'],
    button.primary:enabled {
      forced-color-adjust: none;
      background: Highlight !important;
      color: HighlightText !important;
      border-color: Highlight !important;
      outline-color: CanvasText;
    }
    [aria-selected='true'],
    [aria-pressed='true'],
    [aria-current='true'] {
      border-color: Highlight !important;
      border-block-end-width: 4px !important;
    }
  }
  @media (pointer: coarse) {
    button,
    select {
      min-height: 36px;
    }
  }
`;
