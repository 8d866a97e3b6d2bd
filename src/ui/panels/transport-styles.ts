/**
 * Styles of the bar: one row from 861 pixels on, two below, and the order in which parts shrink.
 * `tests/page/states.test.ts` measures it. Comments stand here, because those among the rules are downloaded.
 *
 * - `.meter > span`: always one line, so that the bar keeps its height while training. Numbers and their comparison are
 *   never cut: the label gives way to the number, and the kind of success, in a hidden second row, is whole or absent.
 * - `.end`: a second row where large or spaced letters do not fit into one. The device takes the width that remains.
 * - `.more`: replaces the drawer's buttons where they would not fit in one row.
 * - Up to 1780 pixels, space is saved for languages with longer labels, which would push the last buttons out.
 * - Up to 440 pixels, `.share` is in the first row, so that the second one has more space.
 */
import { css } from 'lit';

export const transportStyles = css`
  header {
    display: flex;
    align-items: center;
    gap: 6px 14px;
    min-height: 53px;
    padding: 6px 12px;
    background: var(--surface);
    border-block-end: 1px solid var(--line);
  }
  .skip {
    position: absolute;
    inset-inline-start: 8px;
    top: -60px;
    z-index: 10;
    padding: 8px 12px;
    background: var(--accent);
    color: var(--on-accent);
    border-radius: var(--radius);
  }
  .skip:focus-visible {
    top: 8px;
  }
  h1 {
    margin: 0;
    font-size: var(--size-xl);
    font-weight: 700;
    letter-spacing: -0.02em;
    white-space: nowrap;
  }
  h1 svg {
    width: 20px;
    height: 20px;
    vertical-align: -4px;
    margin-inline-end: 6px;
  }
  .what {
    display: flex;
    flex-direction: column;
    line-height: 1.3;
    min-width: 0;
  }
  .what span {
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
    max-width: 180px;
  }
  .buttons {
    display: flex;
    gap: 6px;
  }
  .train {
    min-width: 118px;
    min-height: 36px;
    font-size: var(--size-l);
  }
  .meter {
    display: flex;
    flex-direction: column;
    min-width: 150px;
    line-height: 1.3;
  }
  .meter > span {
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  /* Gives up its words before the end takes a second row. */
  .meter:not(.steps) {
    flex-shrink: 9;
  }
  .meter:not(.steps) > span {
    padding-inline-end: 8px;
  }
  .meter:not(.steps) > span:first-child {
    display: flex;
    flex-wrap: wrap;
    gap: 0 4px;
    align-items: baseline;
    height: calc(1.3 * var(--size-l));
  }
  .value {
    display: flex;
    gap: 4px;
    align-items: baseline;
    max-width: 100%;
  }
  .value .label,
  .of {
    overflow: hidden;
    text-overflow: ellipsis;
  }
  .of {
    max-width: 80px;
  }
  .meter strong {
    font-size: var(--size-l);
  }
  .end {
    display: flex;
    flex: 1 1 auto;
    flex-wrap: wrap;
    align-items: center;
    justify-content: flex-end;
    gap: 4px;
    min-width: 0;
  }
  .end > * {
    flex: none;
  }
  .steps {
    min-width: 0;
    width: 172px;
    flex-shrink: 0;
  }
  .steps > span:first-child,
  .meter:not(.steps) > span:last-child {
    white-space: normal;
  }
  .steps progress {
    margin-top: 2px;
  }
  .language {
    min-height: 28px;
    padding: 2px 4px;
    border-color: transparent;
    background: none;
    font-size: var(--size-s);
    max-width: 92px;
  }
  .gpu {
    flex: 1 1 96px;
    flex-wrap: nowrap;
    gap: 4px;
    min-width: 96px;
    max-width: 200px;
  }
  .gpu select {
    flex: 1 1 0;
    max-width: 100%;
    font-size: var(--size-s);
    text-overflow: ellipsis;
  }
  .drawers {
    flex-wrap: nowrap;
    gap: 2px;
  }
  .drawers .more {
    display: none;
  }
  @media (max-width: 1780px) {
    header {
      gap: 6px 10px;
    }
    .what {
      display: none;
    }
    .end,
    .drawers {
      gap: 0;
    }
    .end button {
      min-width: 24px;
      padding-inline: 6px;
      font-size: var(--size-s);
    }
    .steps {
      width: 150px;
    }
    .train {
      min-width: 104px;
    }
  }
  @media (max-width: 1400px) {
    .drawers .tab {
      display: none;
    }
    .drawers .more {
      display: inline-flex;
    }
  }
  @media (max-width: 1240px) {
    .kind {
      display: none;
    }
    h1 span {
      position: absolute;
      clip-path: inset(50%);
    }
    h1 svg {
      margin: 0;
    }
    .meter:not(.steps) {
      flex-shrink: 0;
      min-width: 0;
    }
  }
  .simple .icon {
    display: none;
  }
  @media (max-width: 1080px) {
    .simple .icon {
      display: inline;
    }
    .simple .label {
      display: none;
    }
    .gpu {
      display: none;
    }
  }
  @media (861px <= width <= 960px) or (max-width: 440px) {
    .reset {
      display: none;
    }
  }
  @media (861px <= width <= 960px) {
    .steps {
      width: 118px;
    }
  }
  @media (max-width: 860px) {
    header {
      flex-wrap: wrap;
    }
    .drawers {
      display: none;
    }
    .end {
      display: contents;
    }
    .end > * {
      order: 1;
    }
    .end > .share,
    .end > .language {
      order: 4;
    }
    .buttons {
      order: 1;
    }
    .meter {
      order: 3;
      width: auto;
      flex: 1 1 90px;
      min-width: 84px;
    }
  }
  @media (441px <= width <= 860px) {
    .meter,
    .meter:not(.steps) {
      min-width: 150px;
    }
  }
  @media (max-width: 440px) {
    header {
      gap: 4px;
      padding-inline: 8px;
    }
    .meter strong {
      font-size: var(--size-m);
    }
    .end > button {
      padding: 3px 5px;
    }
    .language {
      max-width: 76px;
      padding: 2px 0;
    }
    .train {
      min-width: 92px;
    }
    .meter:not(.steps) {
      flex-basis: 110px;
    }
    .meter:not(.steps) > span {
      padding-inline-end: 0;
    }
    .end > .share {
      order: 2;
    }
  }
  @media print {
    .meter:not(.steps) {
      flex-shrink: 0;
    }
  }
`;
