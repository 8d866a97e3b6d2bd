/** Styles of a chart: head, legend, plot and table. */
import { css, unsafeCSS } from 'lit';
import uplotStyles from 'uplot/dist/uPlot.min.css?inline';

export const chartStyles = [
  unsafeCSS(uplotStyles),
  css`
    /*
     * Head, legend and plot are rows of the grid of charts, so that all plots of a row begin at the same height even if
     * one legend needs two lines.
     */
    :host {
      display: grid;
      grid-row: span 3;
      grid-template: subgrid / minmax(0, 1fr);
      row-gap: 0;
      min-width: 0;
      padding-block-end: 10px;
    }
    .head {
      display: flex;
      gap: 4px 10px;
      align-items: baseline;
      justify-content: space-between;
    }
    .tools {
      display: flex;
      gap: 6px;
      align-items: baseline;
      flex: none;
    }
    .save {
      min-height: 24px !important;
      padding-block: 0 !important;
      border-color: transparent !important;
      color: var(--accent);
      background: none;
      font-size: var(--size-s);
      max-width: 74px;
    }
    .title {
      display: flex;
      flex-wrap: wrap;
      gap: 0 8px;
      align-items: baseline;
    }
    .enlarge {
      min-width: 24px;
      min-height: 24px;
      padding: 0 4px;
    }
    .legend .value {
      display: inline-block;
      min-width: 4.5ch;
      color: var(--text);
      font-weight: 600;
    }
    .legend .more {
      display: none;
    }
    @container (min-width: 620px) {
      .legend .more {
        display: inline;
      }
    }
    .legend {
      container-type: inline-size;
      margin-block-end: 4px;
      display: flex;
      flex-wrap: wrap;
      gap: 0 7px;
      font-size: var(--size-s);
      color: var(--text-2);
      list-style: none;
    }
    .legend svg {
      width: 15px;
      height: 8px;
      vertical-align: middle;
      margin-inline-end: 3px;
    }
    .legend .mark {
      width: 8px;
    }
    .plot {
      position: relative;
      height: var(--plot-height, 168px);
      border-radius: 4px;
      /* A narrower plot is drawn only after the frame in which it has become narrower. */
      overflow: clip;
    }
    .u-legend {
      display: none;
    }
    .scroll {
      max-height: max(120px, var(--plot-height, 168px));
      overflow: auto;
    }
    .none {
      display: grid;
      place-content: center;
      height: var(--plot-height, 168px);
      color: var(--text-2);
      border: 1px dashed var(--line);
      border-radius: 4px;
    }
    .u-select {
      background: var(--accent-soft);
    }
    .uplot {
      font-family: var(--sans);
    }
    .u-cursor-x {
      border-inline-end: 1px dashed var(--line-strong);
    }
    .marker {
      position: absolute;
      inset: 0 auto 0 0;
      width: 1.5px;
      background: var(--accent);
      pointer-events: none;
    }
    .u-cursor-y {
      display: none;
    }
  `,
];
