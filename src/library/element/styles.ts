/** Styles of the element. A constructed sheet needs no permission of the page's content security policy. */
const css = `
:host { display: block; }
:host([hidden]) { display: none; }
/* Inside of the host, which the page may style: nothing is inherited from it. */
.root {
  all: initial;
  display: block;
  contain: content;
  box-sizing: border-box;
  font: 14px/1.45 system-ui, sans-serif;
  color: var(--ink);
  background: var(--paper);
  border: 1px solid var(--line);
  border-radius: 8px;
  padding: 10px 12px;
  --ink: #1c1c1c; --paper: #fff; --line: #d5d5d5; --soft: #5c5c5c; --accent: #1f5fbf; --good: #1a7f37;
}
:host([theme="dark"]) .root {
  --ink: #ececec; --paper: #17181b; --line: #3a3c40; --soft: #a6a6a6; --accent: #7fb0ff; --good: #57c27a;
}
@media (prefers-color-scheme: dark) {
  :host(:not([theme="light"])) .root {
    --ink: #ececec; --paper: #17181b; --line: #3a3c40; --soft: #a6a6a6; --accent: #7fb0ff; --good: #57c27a;
  }
}
header { display: flex; gap: 10px; align-items: center; flex-wrap: wrap; }
strong { font-weight: 600; }
.state { color: var(--soft); }
.view { margin-top: 8px; max-height: 24em; overflow: auto; }
button, input { font: inherit; color: inherit; background: transparent; border: 1px solid var(--line); border-radius: 6px;
  padding: 2px 10px; }
button { cursor: pointer; }
button:disabled { opacity: 0.5; cursor: default; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
.turn { border-left: 3px solid var(--line); padding-left: 8px; margin: 6px 0; white-space: pre-wrap; overflow-wrap: anywhere; }
.turn.good { border-color: var(--good); }
.turn b { color: var(--accent); font-weight: 600; }
.choices { display: flex; flex-wrap: wrap; gap: 6px; margin-top: 6px; }
table { border-collapse: collapse; }
th, td { text-align: right; padding: 2px 10px 2px 0; font-variant-numeric: tabular-nums; }
th { color: var(--soft); font-weight: 400; }
svg { width: 100%; height: 180px; display: block; }
.axis { stroke: var(--line); } .policy { stroke: var(--accent); fill: none; stroke-width: 2; }
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
