/** Styles of lessons. */
import { css } from 'lit';

export const lessonStyles = css`
  :host {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: 10px;
  }
  h2 {
    font-size: var(--size-xl);
    letter-spacing: 0;
    text-transform: none;
    color: var(--text);
  }
  h2:focus {
    outline: none;
  }
  .aim-line {
    color: var(--text-2);
  }
  .list,
  .parts {
    list-style: none;
    display: grid;
    gap: 6px;
  }
  .entry {
    display: grid;
    grid-template-columns: 1.4em minmax(0, 1fr) auto;
    justify-content: stretch;
    align-items: start;
    width: 100%;
    gap: 8px;
    padding: 7px 8px;
    text-align: start;
    white-space: normal;
  }
  .aim {
    display: block;
  }
  /* Its label is a lesson's title, which may need two lines. */
  button.primary {
    white-space: normal;
  }
  fieldset {
    min-width: 0;
  }
  .part {
    display: grid;
    gap: 8px;
    padding: 6px 10px;
    border-inline-start: 3px solid var(--line);
  }
  .part.current {
    border-color: var(--accent);
    background: var(--surface-2);
    border-radius: 0 var(--radius) var(--radius) 0;
    padding-block: 10px;
  }
  .part.done h3 {
    color: var(--good);
    font-weight: 500;
  }
  .part.later h3 {
    color: var(--text-2);
    font-weight: 500;
  }
  .far {
    padding: 4px 8px;
    border-radius: 4px;
    background: var(--accent-soft);
  }
  .questions,
  fieldset {
    display: grid;
    gap: 8px;
    min-width: 0;
  }
  legend {
    padding: 0;
    font-weight: 600;
    margin-block-end: 6px;
  }
  .choice {
    display: grid;
    grid-template-columns: auto minmax(0, 1fr);
    gap: 8px;
    align-items: start;
    padding: 3px 0;
  }
  .choice input[type='radio'] {
    min-height: 0;
    margin: 3px 0 0;
    padding: 0;
    accent-color: var(--accent);
  }
  .feedback {
    color: var(--text);
    border-inline-start: 3px solid transparent;
    padding-inline-start: 8px;
  }
  .feedback.good {
    border-color: var(--good);
  }
  .feedback.bad {
    border-color: var(--bad);
  }
  .finished {
    background: var(--good-soft);
    border-color: var(--good);
  }
`;
