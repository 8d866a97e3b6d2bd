/** Styles of the classroom's panels. */
import { css } from 'lit';

export const classroomStyles = css`
  :host {
    display: grid;
    gap: 12px;
    grid-template-columns: minmax(0, 1fr);
    padding-block: 4px 16px;
  }
  h2 {
    overflow-wrap: anywhere;
    text-transform: none;
    letter-spacing: 0;
    font-size: var(--size-l, 1.05rem);
    color: var(--text);
  }
  .tasks {
    display: grid;
    gap: 8px;
  }
  section,
  .task {
    display: grid;
    gap: 6px;
    grid-template-columns: minmax(0, 1fr);
  }
  .task {
    padding: 10px;
    border: 1px solid var(--line);
    border-inline-start: 4px solid var(--line-strong);
    border-radius: var(--radius);
    overflow-wrap: anywhere;
  }
  .task.passed {
    border-inline-start-color: var(--good);
  }
  .fields {
    display: grid;
    gap: 4px 8px;
    grid-template-columns: minmax(0, 1fr) minmax(0, 1fr);
    align-items: center;
  }
  .fields > .wide,
  textarea {
    grid-column: 1 / -1;
    width: 100%;
  }
  .fields input {
    width: 100%;
  }
  label.choice {
    display: flex;
    gap: 8px;
    align-items: start;
    min-height: 28px;
  }
  textarea {
    resize: vertical;
  }
  input[type='file'] {
    display: none;
  }
  ol,
  ul {
    padding-inline-start: 20px;
  }
  .scroll {
    overflow-x: auto;
  }
  table {
    font-size: var(--size-s);
  }
  th,
  td {
    text-align: start;
    vertical-align: top;
    padding: 3px 6px;
    border-block-end: 1px solid var(--line);
  }
  img.curves {
    width: 100%;
    height: auto;
    border: 1px solid var(--line);
    border-radius: var(--radius);
  }
`;
