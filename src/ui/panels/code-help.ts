/** Help of the dialogs with a person's code: what each function or field is, below a summary that opens it. */
import { css, html, nothing } from 'lit';

/** A function or a field with its description. */
type HelpRow = readonly [name: string, text: string];

export const codeHelpStyles = css`
  details.code-help > summary {
    cursor: pointer;
    min-height: 24px;
    line-height: 24px;
  }
  .code-help .body {
    display: grid;
    gap: 6px;
    padding-block: 4px;
    max-height: 36dvh;
    overflow: auto;
  }
  .code-help dl {
    display: grid;
    grid-template-columns: max-content minmax(0, 1fr);
    gap: 2px 10px;
    margin: 0;
  }
  .code-help dt {
    font-family: var(--mono);
  }
  .code-help dd {
    margin: 0;
    overflow-wrap: anywhere;
  }
  .code-help pre {
    margin: 0;
    white-space: pre-wrap;
    overflow-wrap: anywhere;
  }
  @media (max-width: 860px) {
    .code-help dl {
      grid-template-columns: minmax(0, 1fr);
    }
  }
`;

export interface CodeHelp {
  summary: string;
  rows: readonly HelpRow[];
  /** Label and lines of code forms. */
  forms?: { label: string; lines: readonly string[] };
  notes: readonly string[];
}

export const renderCodeHelp = ({ summary, rows, forms, notes }: CodeHelp) =>
  html`<details class="code-help small"><summary>${summary}</summary>
    <div class="body" role="region" tabindex="0" aria-label=${summary}>
      <dl>${rows.map(([name, text]) => html`<dt>${name}</dt><dd>${text}</dd>`)}</dl>
      ${forms ? html`<p>${forms.label}</p><pre>${forms.lines.join('\n')}</pre>` : nothing}
      ${notes.map((note) => html`<p>${note}</p>`)}
    </div></details>`;
