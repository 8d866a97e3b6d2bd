/** Styles of the editor of a typed world. */
import { css } from 'lit';

export const worldEditorStyles = css`
  dialog {
    --dialog-width: 1080px;
    height: min(920px, calc(100dvh - 24px));
    max-width: none;
    max-height: none;
    padding: 0;
  }
  .inner {
    grid-template-rows: auto minmax(120px, 1fr) auto auto;
    gap: 0;
    height: 100%;
  }
  header,
  footer,
  .outcome {
    padding: 10px 14px;
  }
  header {
    display: grid;
    gap: 4px;
  }
  .code {
    min-height: 0;
    border-block: 1px solid var(--line);
    overflow: hidden;
  }
  .outcome {
    max-height: 38dvh;
    overflow: auto;
    border-block-end: 1px solid var(--line);
  }
  .result {
    display: grid;
    gap: 6px;
  }
  .message {
    white-space: pre-wrap;
    overflow-wrap: anywhere;
  }
  .turns {
    margin: 0;
    padding-inline-start: 24px;
    overflow-wrap: anywhere;
  }
  @media (max-width: 860px) {
    dialog {
      width: 100vw;
      height: 100dvh;
      border: 0;
      border-radius: 0;
    }
    header .long {
      display: none;
    }
    footer {
      padding: 6px 10px;
      gap: 4px;
    }
  }
`;
