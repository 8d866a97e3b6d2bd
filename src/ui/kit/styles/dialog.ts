/** Styles of a dialog; `--dialog-width` is its largest width. */
import { css } from 'lit';

export const dialogStyles = css`
  dialog {
    width: min(var(--dialog-width, 620px), calc(100vw - 24px));
    max-height: calc(100vh - 40px);
    padding: 18px 20px;
    color: var(--text);
    background: var(--surface);
    border: 1px solid var(--line-strong);
    border-radius: 10px;
    box-shadow: var(--shadow-high);
  }
  dialog::backdrop {
    background: rgb(0 0 0 / 40%);
  }
  .inner {
    display: grid;
    gap: 12px;
  }
  dialog h2 {
    font-size: var(--size-xl);
    text-transform: none;
    letter-spacing: 0;
    color: var(--text);
  }
`;
