/** Styles of TextCraft's view: tiles, the tree with its lines, slots and recipes. */
import { css } from 'lit';

export const textcraftStyles = css`
  :host {
    display: block;
    container-type: inline-size;
  }
  .parts {
    display: grid;
    gap: 14px;
  }
  .parts > * {
    min-width: 0;
  }
  @container (min-width: 620px) {
    .parts {
      grid-template-columns: minmax(0, 1fr) minmax(0, 1.2fr);
    }
    .goal,
    .wide,
    .tree-part {
      grid-column: 1 / -1;
    }
  }
  h3 {
    margin-block-end: 4px;
    color: var(--text-2);
    font-size: var(--size-s);
  }
  ul {
    list-style: none;
  }
  .tile {
    width: 36px;
    height: 36px;
    flex: none;
  }
  .tile.small {
    width: 20px;
    height: 20px;
  }
  .tile.large {
    width: 48px;
    height: 48px;
  }
  .goal {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 6px 12px;
    font-size: var(--size-l);
  }
  .tree-scroll {
    overflow-x: auto;
    padding-block-end: 4px;
  }
  /* Drawn as in a family tree: a line down from a parent, across its children, and down to each. */
  .tree,
  .tree ul {
    display: flex;
    width: max-content;
    margin-inline: auto;
    position: relative;
  }
  .tree ul {
    padding-block-start: 14px;
  }
  .tree ul::before {
    content: '';
    position: absolute;
    inset-block-start: 0;
    inset-inline-start: 50%;
    height: 14px;
    border-inline-start: 2px solid var(--line-strong);
  }
  .tree li {
    position: relative;
    display: flex;
    flex-direction: column;
    align-items: center;
    padding-inline: 4px;
  }
  .tree ul > li {
    padding-block-start: 12px;
  }
  .tree ul > li::before {
    content: '';
    position: absolute;
    inset-block-start: 0;
    inset-inline: 0;
    border-block-start: 2px solid var(--line-strong);
  }
  .tree ul > li::after {
    content: '';
    position: absolute;
    inset-block-start: 0;
    inset-inline-start: 50%;
    height: 12px;
    border-inline-start: 2px solid var(--line-strong);
  }
  .tree ul > li:first-child::before {
    inset-inline-start: 50%;
  }
  .tree ul > li:last-child::before {
    inset-inline-end: 50%;
  }
  .tree ul > li:only-child::before {
    display: none;
  }
  .node {
    display: grid;
    justify-items: center;
    gap: 1px;
    min-width: 76px;
    max-width: 120px;
    padding: 5px 7px;
    border: 1.5px dashed var(--line-strong);
    border-radius: 8px;
    background: var(--surface);
    text-align: center;
  }
  .node.done {
    border-style: solid;
    border-color: var(--good);
    background: var(--good-soft);
  }
  .name {
    font-family: var(--mono);
    font-size: var(--size-s);
    line-height: 1.25;
    overflow-wrap: anywhere;
  }
  .node .small {
    color: var(--text-2);
  }
  .done .small {
    color: var(--good);
  }
  .slots {
    display: grid;
    grid-template-columns: repeat(auto-fill, minmax(92px, 1fr));
    gap: 4px;
  }
  .slot {
    position: relative;
    display: grid;
    justify-items: center;
    align-content: start;
    gap: 2px;
    min-height: 58px;
    padding: 6px 3px 4px;
    border: 1px solid var(--line);
    border-radius: 6px;
    background: var(--surface-2);
    text-align: center;
  }
  .slot.empty {
    background: none;
  }
  .count {
    position: absolute;
    inset-block-start: 28px;
    inset-inline-end: calc(50% - 26px);
    padding: 0 4px;
    border-radius: 4px;
    background: var(--text);
    color: var(--surface);
    font-size: 0.6875rem;
    font-weight: 700;
    line-height: 1.35;
  }
  .commands li {
    display: flex;
    gap: 4px 10px;
    align-items: center;
    flex-wrap: wrap;
    font-family: var(--mono);
    font-size: var(--size-s);
    padding: 2px 6px;
    border-inline-start: 3px solid transparent;
    overflow-wrap: anywhere;
  }
  .commands li > span:last-child {
    flex: 1 1 180px;
  }
  .recipe {
    display: flex;
    align-items: center;
    gap: 2px;
  }
  .commands .needed {
    border-color: var(--accent);
    background: var(--accent-soft);
  }
`;
