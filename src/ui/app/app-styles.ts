/** Styles of the page's frame: columns on a wide screen, a single panel on a narrow one. */
import { css } from 'lit';

export const appStyles = css`
  :host {
    display: grid;
    grid-template: auto minmax(0, 1fr) / minmax(0, 1fr);
    height: 100vh;
    height: 100dvh;
  }
  .body {
    /* Hidden texts are placed absolutely: they are clipped here, and do not lengthen the document. */
    position: relative;
    display: grid;
    grid-template: minmax(0, 1fr) / auto auto minmax(0, 1fr) auto auto auto auto;
    min-height: 0;
    overflow: hidden;
  }
  .place {
    position: absolute;
    outline: none;
  }
  tabgym-splitter[pane='setup'] {
    grid-column: 2;
  }
  .centre {
    grid-column: 3;
    display: grid;
    grid-template-rows: minmax(0, 1fr) auto var(--progress);
    min-height: 0;
    min-width: 0;
  }
  tabgym-setup {
    width: var(--setup);
    grid-column: 1;
    background: var(--surface);
    min-height: 0;
    overflow: auto;
  }
  tabgym-stage {
    min-height: 0;
    overflow: hidden;
  }
  tabgym-progress {
    background: var(--surface);
    min-height: 0;
    overflow: auto;
  }
  .middle {
    display: grid;
    grid-template-rows: auto minmax(0, 1fr);
    min-height: 0;
    min-width: 0;
  }
  tabgym-learn,
  .learn {
    background: var(--surface);
    width: var(--learn);
    min-height: 0;
    overflow: auto;
  }
  tabgym-drawer {
    background: var(--surface);
    width: var(--drawer);
    min-height: 0;
    overflow: auto;
  }
  [data-target='setup'] tabgym-setup,
  [data-target='stage'] tabgym-stage,
  [data-target='progress'] tabgym-progress {
    outline: 2px solid var(--accent);
    outline-offset: -2px;
    animation: lit 1.4s ease-in-out 3;
  }
  @keyframes lit {
    50% {
      outline-color: transparent;
    }
  }
  @media (prefers-reduced-motion: reduce) {
    [data-target] > * {
      animation: none !important;
    }
  }
  nav {
    display: none;
  }
  .simple {
    display: grid;
    grid-template: minmax(0, 1fr) / minmax(0, 1fr);
    min-height: 0;
  }
  .waiting {
    min-height: 0;
    overflow: auto;
  }
  @media (max-width: 1180px) {
    tabgym-drawer {
      position: fixed;
      inset: 53px 0 0 auto;
      z-index: 5;
      box-shadow: var(--shadow-high);
    }
    tabgym-splitter[pane='drawer'] {
      display: none;
    }
  }
  @media (max-width: 860px) {
    :host {
      grid-template-rows: auto minmax(0, 1fr) auto;
    }
    .body {
      display: block;
      overflow: auto;
    }
    .centre {
      display: block;
      height: 100%;
    }
    .middle {
      display: contents;
    }
    tabgym-setup,
    tabgym-stage,
    tabgym-progress,
    tabgym-learn,
    .learn,
    tabgym-drawer {
      display: none;
      position: static;
      width: auto;
      height: 100%;
      border: 0;
      box-shadow: none;
    }
    [data-panel='setup'] tabgym-setup,
    [data-panel='stage'] tabgym-stage,
    [data-panel='progress'] tabgym-progress,
    [data-panel='learn'] tabgym-learn,
    [data-panel='learn'] .learn,
    [data-panel='drawer'] tabgym-drawer {
      display: block;
    }
    [data-panel='setup'] .centre,
    [data-panel='learn'] .centre,
    [data-panel='drawer'] .centre {
      display: none;
    }
    nav {
      display: grid;
      grid-template-columns: repeat(5, 1fr);
      border-block-start: 1px solid var(--line);
      background: var(--surface);
      padding-bottom: env(safe-area-inset-bottom);
    }
    nav button {
      min-height: 46px;
      padding-inline: 0;
      border: 0;
      border-radius: 0;
      border-block-start: 3px solid transparent;
      background: none;
    }
    nav button[aria-current='true'] {
      color: var(--accent);
      border-color: var(--accent);
      font-weight: 650;
    }
  }
  /* On paper: what is shown, whole, without the setup. */
  @media print {
    :host,
    .body,
    .centre,
    .middle,
    .simple,
    .waiting {
      display: block !important;
      height: auto;
      overflow: visible;
    }
    tabgym-stage,
    tabgym-progress,
    tabgym-learn,
    .learn,
    tabgym-drawer {
      display: block !important;
      position: static;
      width: auto;
      height: auto;
      overflow: visible;
      box-shadow: none;
    }
    tabgym-setup,
    tabgym-splitter,
    tabgym-notices,
    nav {
      display: none !important;
    }
  }
`;
