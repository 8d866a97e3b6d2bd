/** Styles of a row of tabs, which stays visible while its panel scrolls. */
import { css } from 'lit';

export const tabStyles = css`
  .bar {
    position: sticky;
    top: 0;
    z-index: 1;
    display: flex;
    align-items: center;
    justify-content: space-between;
    padding: 6px 8px 0;
    background: var(--surface);
    border-block-end: 1px solid var(--line);
  }
  [role='tab'] {
    border: 0;
    border-radius: 0;
    border-block-end: 2px solid transparent;
    background: none;
    color: var(--text-2);
  }
  [role='tab'][aria-selected='true'] {
    color: var(--text);
    font-weight: 650;
    border-color: var(--accent);
  }
  [role='tabpanel'] {
    padding: 12px;
  }
`;
