/** Styles of what stands around the phone's screen. */
import { css } from 'lit';

export const phoneStyles = css`
  :host {
    display: block;
    container-type: inline-size;
  }
  .parts {
    display: grid;
    grid-template-columns: minmax(240px, 306px) minmax(0, 1fr);
    gap: 12px;
    align-items: start;
  }
  @container (max-width: 620px) {
    .parts {
      grid-template-columns: minmax(0, 1fr);
    }
    .held {
      justify-self: center;
      width: min(100%, 366px);
    }
  }
  .goal {
    grid-column: 1 / -1;
  }
  .device {
    border: 3px solid #30343b;
    border-radius: 22px;
    overflow: hidden;
  }
  iframe {
    display: block;
    width: 100%;
    aspect-ratio: 360 / 780;
    border: 0;
    background: #fff;
  }
  .bar {
    display: flex;
    flex-wrap: wrap;
    gap: 4px;
  }
  .side {
    display: grid;
    gap: 10px;
    min-width: 0;
  }
  .side h3 {
    margin: 0;
  }
  .scrolls {
    overflow-x: auto;
    max-height: 22em;
  }
  table {
    border-collapse: collapse;
    font-size: var(--size-s);
    width: 100%;
  }
  td,
  th {
    padding: 2px 6px;
    text-align: start;
    border-bottom: 1px solid var(--line, #ccc);
  }
  .held label {
    display: block;
  }
  .touched {
    margin: 0;
    padding-inline-start: 18px;
  }
  .trail {
    margin: 0;
    padding: 0;
    list-style: none;
    font-size: var(--size-s);
    max-height: 12em;
    overflow: auto;
    overflow-wrap: anywhere;
  }
  .missed {
    color: var(--bad, #b3261e);
  }
`;
