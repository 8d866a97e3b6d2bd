/** Styles of the phone: points of its screen as shares of its width, so that it scales as a whole. */
import { css } from 'lit';

export const phoneStyles = css`
  :host {
    display: block;
    container-type: inline-size;
  }
  .parts {
    display: grid;
    grid-template-columns: minmax(200px, 300px) minmax(0, 1fr);
    gap: 12px;
    align-items: start;
  }
  @container (max-width: 620px) {
    .parts {
      grid-template-columns: minmax(0, 1fr);
    }
    .device {
      justify-self: center;
      width: min(100%, 300px);
    }
  }
  .goal {
    grid-column: 1 / -1;
  }
  .device {
    container-type: inline-size;
    border: 3px solid #30343b;
    border-radius: 22px;
    overflow: hidden;
  }
  .screen {
    --point: calc(100cqw / 360);
    --ink: #16181c;
    --soft: #4a4f58;
    --paper: #fff;
    --tone: #e8ebf1;
    --edge: #c3c9d4;
    --act: #0b57a4;
    position: relative;
    width: 100%;
    aspect-ratio: 360 / 780;
    overflow: hidden;
    background: var(--paper);
    color: var(--ink);
    font-size: calc(14 * var(--point));
    line-height: calc(18 * var(--point));
    touch-action: pan-x;
  }
  .screen.dark {
    --ink: #f2f3f5;
    --soft: #c0c5ce;
    --paper: #15171b;
    --tone: #2a2e36;
    --edge: #4a505c;
    --act: #8ec2ff;
  }
  .screen.large {
    font-size: calc(17.5 * var(--point));
    line-height: calc(22 * var(--point));
  }
  .title {
    position: absolute;
    inset: calc(24 * var(--point)) 0 auto calc(64 * var(--point));
    height: calc(56 * var(--point));
    display: flex;
    align-items: center;
    font-weight: 700;
    white-space: nowrap;
    overflow: hidden;
  }
  .title.home {
    inset-inline-start: calc(16 * var(--point));
  }
  .clock {
    position: absolute;
    inset: 0 calc(12 * var(--point)) auto auto;
    font-size: calc(12 * var(--point));
    line-height: calc(24 * var(--point));
    color: var(--soft);
  }
  .veil {
    position: absolute;
    inset: 0;
    background: #0008;
  }
  .panel {
    position: absolute;
    background: var(--paper);
    border-radius: calc(16 * var(--point));
  }
  .item {
    position: absolute;
    box-sizing: border-box;
    display: flex;
    align-items: center;
    gap: calc(6 * var(--point));
    margin: 0;
    padding: 0 calc(10 * var(--point));
    min-width: 0;
    min-height: 0;
    border: 0;
    border-radius: calc(10 * var(--point));
    background: none;
    color: inherit;
    font: inherit;
    line-height: inherit;
    text-align: start;
    white-space: normal;
    flex-wrap: nowrap;
    overflow: hidden;
  }
  .screen button.item:hover {
    background: var(--edge);
  }
  .item > span {
    min-width: 0;
    overflow: hidden;
    text-overflow: ellipsis;
  }
  .detail,
  .state {
    color: var(--soft);
    font-size: 0.88em;
  }
  .state,
  .row .detail,
  .switch .state {
    margin-inline-start: auto;
    flex: none;
    max-width: 50%;
  }
  .heading {
    font-weight: 700;
    font-size: 0.92em;
  }
  .row,
  .switch,
  .field,
  .slider {
    background: var(--tone);
  }
  .button,
  .chip,
  .tile,
  .pin,
  .key {
    justify-content: center;
    text-align: center;
    background: var(--tone);
    border: 1px solid var(--edge);
  }
  .button {
    color: var(--act);
    font-weight: 600;
  }
  .chip,
  .pin,
  .tile {
    padding: 0 calc(3 * var(--point));
    flex-direction: column;
    gap: 0;
    font-size: 0.85em;
  }
  .chip .state,
  .pin .state {
    margin: 0;
  }
  .chosen {
    border: 2px solid var(--act);
    font-weight: 700;
  }
  .bubble {
    background: var(--tone);
    border-radius: calc(16 * var(--point));
  }
  .bubble.sent {
    border: 1px solid var(--act);
  }
  .key {
    border-radius: 0;
    padding: 0;
    font-size: calc(13 * var(--point));
    line-height: 1;
  }
  .tile svg {
    width: calc(40 * var(--point));
    height: calc(40 * var(--point));
  }
  .screen input.item {
    border: 1px solid var(--edge);
    background: var(--tone);
    color: var(--ink);
  }
  .screen input.item::placeholder {
    color: var(--soft);
  }
  .slider input {
    flex: 1;
    min-width: 0;
  }
  .target {
    outline: calc(4 * var(--point)) solid #d55e00;
    outline-offset: calc(-4 * var(--point));
  }
  .touch {
    position: absolute;
    width: calc(22 * var(--point));
    height: calc(22 * var(--point));
    translate: -50% -50%;
    border: calc(3 * var(--point)) solid #d55e00;
    border-radius: 50%;
    background: #fff8;
    pointer-events: none;
  }
  .toast {
    position: absolute;
    inset: auto 10% 18%;
    padding: 4px 8px;
    border-radius: 12px;
    background: #16181c;
    color: #fff;
    text-align: center;
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
