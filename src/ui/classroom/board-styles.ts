/** Styles of the board, on a screen and on paper. */
import { css } from 'lit';

export const boardStyles = css`
  :host {
    display: block;
    overflow: auto;
    height: 100dvh;
    background: var(--surface);
    color: var(--text);
  }
  main {
    display: grid;
    gap: 16px;
    grid-template-columns: minmax(0, 1fr);
    max-width: 1400px;
    margin-inline: auto;
    padding: 16px;
  }
  header {
    display: flex;
    flex-wrap: wrap;
    gap: 8px 24px;
    align-items: center;
  }
  h1 {
    margin: 0;
    font-size: 1.5rem;
  }
  .join {
    flex: 1 1 260px;
    font-size: 1.1rem;
    overflow-wrap: anywhere;
  }
  .code {
    font-size: 1.4em;
    white-space: nowrap;
  }
  .tiles {
    display: grid;
    gap: 12px;
    grid-template-columns: repeat(auto-fill, minmax(min(260px, 100%), 1fr));
    padding: 0;
    list-style: none;
  }
  .tile {
    display: grid;
    gap: 4px;
    align-content: start;
    grid-template-columns: minmax(0, 1fr);
    padding: 10px;
    border: 1px solid var(--line);
    border-radius: var(--radius);
    break-inside: avoid;
  }
  .tile.away {
    border-style: dashed;
  }
  .name {
    flex: 1;
    overflow-wrap: anywhere;
  }
  @media print {
    :host {
      height: auto;
      overflow: visible;
    }
    .screen {
      display: none;
    }
  }
`;
