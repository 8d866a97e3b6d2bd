/** Styles of the element. A constructed sheet needs no permission of the page's content security policy. */
const css = `
:host { display: block; container-type: inline-size; }
:host([hidden]) { display: none; }
/* Inside of the host, which the page may style: nothing is inherited from it. */
.root {
  all: initial;
  display: block;
  contain: content;
  box-sizing: border-box;
  color-scheme: light;
  font: 14px/1.45 system-ui, sans-serif;
  color: var(--ink);
  background: var(--paper);
  border: 1px solid var(--edge);
  border-radius: 8px;
  padding: 10px 12px;
  --ink: #1c1c1c; --paper: #fff; --edge: #d5d5d5; --soft: #5c5c5c; --mark: #1f5fbf; --well: #1a7f37;
}
:host([theme="dark"]) .root {
  color-scheme: dark;
  --ink: #ececec; --paper: #17181b; --edge: #3a3c40; --soft: #a6a6a6; --mark: #7fb0ff; --well: #57c27a;
}
@media (prefers-color-scheme: dark) {
  :host(:not([theme="light"])) .root {
    color-scheme: dark;
    --ink: #ececec; --paper: #17181b; --edge: #3a3c40; --soft: #a6a6a6; --mark: #7fb0ff; --well: #57c27a;
  }
}
header { display: flex; gap: 6px 10px; align-items: center; flex-wrap: wrap; }
strong { font-weight: 600; }
a { color: var(--mark); margin-left: auto; }
nav { flex-basis: 100%; display: flex; flex-wrap: wrap; gap: 2px; border-bottom: 1px solid var(--edge); }
nav button { border-color: transparent; border-radius: 6px 6px 0 0; white-space: nowrap; }
nav button[aria-current] { border-bottom: 2px solid var(--mark); font-weight: 600; }
.state { color: var(--soft); margin: 6px 0; }
header .state { margin: 0; }
.body { margin-top: 8px; display: grid; grid-template-columns: minmax(0, 1fr); gap: 12px; }
.picture:empty, .picture[hidden] { display: none; }
.view { max-height: 24em; overflow: auto; min-width: 0; }
@container (min-width: 700px) {
  .picture:not(:empty, [hidden]) { min-width: 0; }
  .body:has(.picture:not(:empty, [hidden])) { grid-template-columns: minmax(0, 1.35fr) minmax(0, 1fr); align-items: start; }
}
/* Fills a page of its own. */
:host([fill]) .root { height: 100%; display: grid; grid-template: auto minmax(0, 1fr) / minmax(0, 1fr); border: 0; border-radius: 0; }
:host([fill]) .body { min-height: 0; overflow: auto; align-content: start; }
:host([fill]) .view { max-height: none; overflow: visible; }
button, input { font: inherit; color: inherit; background: transparent; border: 1px solid var(--edge); border-radius: 6px;
  padding: 2px 10px; min-height: 28px; }
button { cursor: pointer; }
button:disabled { opacity: 0.5; cursor: default; }
:focus-visible { outline: 2px solid var(--mark); outline-offset: -1px; }
.turn { border-left: 3px solid var(--edge); padding-left: 8px; margin: 6px 0; white-space: pre-wrap; overflow-wrap: anywhere; }
.turn.good { border-color: var(--well); }
.turn[aria-current] { border-color: var(--mark); background: color-mix(in srgb, var(--mark) 12%, transparent); }
.turn b { color: var(--mark); font-weight: 600; }
.choices, .row { display: flex; flex-wrap: wrap; gap: 6px; margin-top: 6px; }
.row { gap: 14px; }
.stepper { display: inline-flex; gap: 6px; align-items: center; font-variant-numeric: tabular-nums; }
table { border-collapse: collapse; }
th, td { text-align: right; padding: 2px 10px 2px 0; font-variant-numeric: tabular-nums; }
th { color: var(--soft); font-weight: 400; }
svg { width: 100%; height: 180px; display: block; }
.axis { stroke: var(--edge); } .policy { stroke: var(--mark); fill: none; stroke-width: 2; }
.chance { stroke: var(--soft); fill: none; stroke-dasharray: 4 4; }
`;

let sheet: CSSStyleSheet | null = null;

/** One sheet for all elements of the page. */
export function elementSheet(): CSSStyleSheet {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
  }
  return sheet;
}
