/** Styles of the view of the shop. */
import { css } from 'lit';

export const shopStyles = css`
  :host {
    display: block;
    container-type: inline-size;
  }
  .parts {
    display: grid;
    gap: 12px;
  }
  .wish {
    font-size: var(--size-l);
    overflow-wrap: anywhere;
  }
  .shop {
    display: grid;
    gap: 12px;
    padding: 12px;
    border: 1px solid var(--line);
    border-radius: var(--radius);
    background: var(--surface-2);
    overflow-wrap: anywhere;
  }
  form,
  .row,
  .values {
    display: flex;
    flex-wrap: wrap;
    gap: 6px;
    align-items: center;
  }
  form input {
    flex: 1 1 160px;
    min-width: 0;
    min-height: 32px;
    padding: 3px 8px;
    border: 1px solid var(--line-strong);
    border-radius: var(--radius);
    background: var(--surface);
  }
  ul,
  ol {
    list-style: none;
  }
  .products {
    display: grid;
    gap: 8px;
  }
  .item > .tile {
    max-inline-size: 72px;
  }
  @container (min-width: 560px) {
    .products {
      grid-template-columns: repeat(2, minmax(0, 1fr));
    }
    .item {
      display: grid;
      grid-template-columns: 120px minmax(0, 1fr);
      gap: 16px;
    }
    .item > .tile {
      max-inline-size: none;
    }
  }
  .product {
    display: grid;
    grid-template-columns: 40px minmax(0, 1fr);
    gap: 8px;
    padding: 8px;
    border: 1px solid var(--line);
    border-radius: var(--radius);
    background: var(--surface);
  }
  .tile {
    inline-size: 100%;
    aspect-ratio: 1;
    border-radius: var(--radius);
  }
  .options {
    display: grid;
    gap: 8px;
    margin-block: 8px;
  }
  button {
    white-space: normal;
    text-align: start;
    overflow-wrap: anywhere;
  }
  .chosen {
    border-color: var(--accent);
    background: var(--accent-soft);
    font-weight: 650;
  }
  .acted {
    outline: 3px solid #d55e00;
    outline-offset: 2px;
  }
  .trail {
    display: grid;
    gap: 2px;
    font-family: var(--mono);
    font-size: var(--size-s);
  }
  .met {
    color: var(--good);
  }
  .missed {
    color: var(--bad);
  }
`;
