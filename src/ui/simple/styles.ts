/** Styles of the simple arrangement: its frame, story, stage, and the pair before and after. */
import { css } from 'lit';

export const simpleStyles = css`
  :host {
    display: grid;
    grid-template: minmax(0, 1fr) / minmax(0, 1fr) minmax(340px, 420px);
    min-height: 0;
    overflow: hidden;
  }
  :host([data-settings]) {
    grid-template-columns: 320px minmax(0, 1fr) minmax(340px, 420px);
  }
  .settings {
    background: var(--surface);
    border-inline-end: 1px solid var(--line);
    overflow: auto;
    min-height: 0;
  }
  .settings > .top {
    display: grid;
    gap: 6px;
    padding: 14px 16px 4px;
  }
  .left {
    display: grid;
    grid-template: minmax(0, 1fr) / minmax(0, 1fr);
    min-height: 0;
    min-width: 0;
  }
  .story {
    display: grid;
    align-content: start;
    gap: 14px;
    padding: 20px 22px 24px;
    background: var(--surface);
    border-inline-start: 1px solid var(--line);
    overflow: auto;
    min-height: 0;
  }
  .lead {
    color: var(--text);
    text-transform: none;
    font-size: 1.375rem;
    line-height: 1.28;
    font-weight: 650;
    letter-spacing: -0.018em;
    text-wrap: balance;
  }
  .say {
    font-size: var(--size-l);
    line-height: 1.5;
  }
  .go {
    display: grid;
    gap: 8px;
  }
  .go > button {
    min-height: 48px;
    font-size: 1.0625rem;
    border-radius: 10px;
  }
  .facts {
    display: flex;
    flex-wrap: wrap;
    gap: 2px 14px;
    color: var(--text-2);
    font-size: var(--size-s);
  }
  .readout {
    display: grid;
    grid-template-columns: auto minmax(0, 1fr);
    align-items: center;
    gap: 4px 14px;
    padding-block-start: 12px;
    border-block-start: 1px solid var(--line);
  }
  .readout .big {
    font-size: 2.5rem;
    line-height: 1;
    font-weight: 700;
    letter-spacing: -0.03em;
    color: var(--series-1);
    font-variant-numeric: tabular-nums;
  }
  .readout p {
    line-height: 1.35;
  }
  tabgym-chart {
    grid-template-rows: auto auto minmax(0, 1fr);
  }
  .terms {
    display: grid;
    gap: 8px;
    padding-block-start: 12px;
    border-block-start: 1px solid var(--line);
  }
  .terms > div {
    display: grid;
    grid-template-columns: 84px minmax(0, 1fr);
    gap: 10px;
  }
  .terms dt {
    font-weight: 650;
  }
  .terms dd {
    color: var(--text-2);
  }
  .next {
    display: flex;
    flex-wrap: wrap;
    gap: 8px;
  }
  .next > button {
    flex: 1 1 auto;
    min-height: 36px;
  }
  .changes {
    display: grid;
    gap: 6px;
  }
  .changes button {
    justify-content: start;
    min-height: 36px;
    white-space: normal;
    text-align: start;
  }
  details > summary {
    cursor: pointer;
    color: var(--text-2);
    min-height: 28px;
    line-height: 28px;
  }
  @media (max-width: 1100px) and (min-width: 861px) {
    :host,
    :host([data-settings]) {
      grid-template-columns: minmax(0, 1fr) minmax(300px, 340px);
    }
    :host([data-settings]) .left {
      display: none;
    }
  }
  @media (max-width: 860px) {
    :host,
    :host([data-settings]) {
      display: flex;
      flex-direction: column;
      overflow: auto;
    }
    .settings,
    .story {
      border: 0;
      overflow: visible;
    }
    .settings {
      flex: none;
    }
    .left {
      flex: none;
      order: 1;
      min-height: 340px;
    }
    .story {
      flex: none;
      display: contents;
    }
    .story > * {
      order: 2;
      margin-inline: 16px;
      margin-block-end: 14px;
    }
    .story > .lead {
      order: 0;
      margin-block: 14px 10px;
      font-size: 1.1875rem;
    }
    .story > .end {
      order: 0;
    }
    .story > .go {
      order: 0;
      margin-block-end: 4px;
    }
  }
`;

export const simpleStageStyles = css`
  :host {
    display: grid;
    grid-template: auto minmax(0, 1fr) auto / minmax(0, 1fr);
    gap: 8px;
    min-height: 0;
    padding: 14px 20px;
    --view-height: max(220px, calc(100vh - 250px));
    --view-cell: 96px;
  }
  .head {
    min-height: 28px;
  }
  .pulse {
    width: 8px;
    height: 8px;
    border-radius: 50%;
    background: var(--bad);
    animation: pulse 1.6s infinite;
  }
  @keyframes pulse {
    50% {
      opacity: 0.3;
    }
  }
  .world {
    min-height: 0;
    overflow: auto;
    display: grid;
    align-content: safe center;
  }
  .turn {
    justify-content: center;
    min-height: 28px;
    font-size: var(--size-l);
  }
  .action {
    font-family: var(--mono);
    padding: 1px 8px;
    border-inline-start: 3px solid var(--policy-ink);
    background: var(--surface-2);
  }
  @media (max-width: 860px) {
    :host {
      padding: 8px 16px;
      --view-height: 44vh;
    }
    .world {
      overflow: visible;
    }
  }
`;

export const beforeAfterStyles = css`
  :host {
    display: grid;
    align-content: safe center;
    gap: 14px;
    min-height: 0;
    overflow: auto;
    padding: 20px;
    --view-height: max(200px, calc(100vh - 340px));
    --view-cell: 72px;
  }
  .head p {
    flex: 1 1 240px;
    font-size: var(--size-l);
  }
  .pair {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(min(100%, 260px), 1fr));
    gap: 20px;
    align-items: start;
  }
  .pair section {
    display: grid;
    gap: 8px;
    justify-items: stretch;
  }
  .pair h2 {
    color: var(--text);
    letter-spacing: 0;
    text-transform: none;
    display: flex;
    gap: 8px;
    align-items: center;
    min-height: 24px;
    font-size: var(--size-l);
  }
  .pair p {
    min-height: 20px;
  }
  @media (max-width: 860px) {
    :host {
      padding: 12px 16px;
      overflow: visible;
    }
  }
  @media print {
    :host,
    .left,
    .story {
      display: block !important;
      overflow: visible;
    }
    .settings {
      display: none;
    }
  }
`;
