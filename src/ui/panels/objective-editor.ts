/**
 * Dialog with an algorithm's objective as code: read, edited, checked against finite differences of its loss, and
 * reset.
 */
import { msg, str } from '@lit/localize';
import { css, html, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { readPath } from '../../experiment/paths.ts';
import { type AnyAlgorithmSettings, algorithmOf, longestCode } from '../../rl/algorithms/registry.ts';
import { checkObjective, type ObjectiveCheck, type SlopeDifference } from '../../rl/objective-code/check.ts';
import { objectiveText } from '../../rl/objective-code/text/index.ts';
import { CodeDialog, trialSandbox } from './code-dialog.ts';

/** Maximum number of differences that are shown. */
const most = 8;

const digits = (value: number) => (value === 0 ? '0' : value.toPrecision(5));

interface Checked {
  state: 'checked';
  check: ObjectiveCheck;
}

@customElement('tabgym-objective-editor')
export class TabgymObjectiveEditor extends CodeDialog<Checked> {
  static override styles = [
    ...CodeDialog.styles,
    css`
      .outcome table {
        width: auto;
      }
      @media (max-width: 860px) {
        .outcome table {
          width: 100%;
        }
        th,
        td {
          padding: 3px 4px;
        }
      }
    `,
  ];

  /** Path of the algorithm's settings: `algorithm`, `stages.0.algorithm`. */
  @property() path = 'algorithm';
  private readonly sandbox = trialSandbox();

  private get settings(): AnyAlgorithmSettings {
    return readPath(this.app.store.state.draft, this.path) as AnyAlgorithmSettings;
  }

  /** Text of the built-in objective. */
  private get own(): string {
    return objectiveText(this.settings);
  }

  protected override get stored() {
    return this.settings.objectiveCode ?? this.own;
  }

  protected override get words() {
    return {
      heading: msg(str`The objective of ${algorithmOf(this.settings).label}`),
      label: msg('Objective as JavaScript. Control and Enter checks it; Tab leaves the editor.'),
      outcome: msg('Result of the check'),
      busy: msg('Checking'),
    };
  }

  protected override get longest() {
    return longestCode;
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    void this.sandbox.close();
  }

  protected override renderIntroduction() {
    return html`<p class="soft">${msg('Your changes run in place of the built-in function, in a sandbox, and are part of the experiment.')}
      <span class="long">${msg('You may choose any loss; the slopes (weight, entropyWeight, valueWeight) must be its derivatives. Check compares them.')}</span></p>`;
  }

  protected override renderTrial(disabled: boolean) {
    return html`<button class="primary" ?disabled=${disabled} aria-keyshortcuts="Control+Enter" @click=${() => void this.run()}>${msg('Check')}</button>`;
  }

  protected override renderMore() {
    const { label } = algorithmOf(this.settings);
    return html`<button ?disabled=${this.text === this.own} @click=${() => this.change(() => this.view?.replace(this.own))}>${msg(str`Reset to the built-in ${label}`)}</button>`;
  }

  protected override renderDone({ check }: Checked) {
    return this.renderCheck(check);
  }

  private renderCheck({ differences, compared, rows, flat }: ObjectiveCheck) {
    if (flat)
      return html`<p class="message warning">! ${msg('Every slope is 0: with this objective the policy would not learn.')}</p>`;
    if (!differences.length)
      return html`<p class="message"><span class="good">✓</span> ${msg(str`The slopes match the loss: ${compared} were compared on ${rows} generated rows.`)}</p>`;
    return html`<p class="message error">✕ ${msg(str`${differences.length} of ${compared} slopes differ from those of the loss (finite differences on ${rows} generated rows).`)}</p>
      ${this.renderDifferences(differences)}`;
  }

  private renderDifferences(differences: readonly SlopeDifference[]) {
    return html`<table>
        <thead><tr><th class="number">${msg('Row')}</th><th>${msg('Column')}</th><th class="number">${msg('In the code')}</th>
          <th class="number">${msg('Of the loss')}</th><th class="number">${msg('Difference')}</th></tr></thead>
        <tbody>${differences.slice(0, most).map(
          ({ row, column, claimed, found }) => html`<tr><td class="number">${row}</td><td class="mono">${column}</td>
            <td class="number">${digits(claimed)}</td><td class="number">${digits(found)}</td><td class="number">${digits(claimed - found)}</td></tr>`,
        )}</tbody></table>
      ${differences.length > most ? html`<p class="soft">${msg(str`and ${differences.length - most} more, none larger`)}</p>` : nothing}`;
  }

  protected override async attempt(code: string): Promise<Checked> {
    const { objectiveCode: _, ...settings } = this.settings;
    const check = await checkObjective(this.sandbox, { code, settings: settings as AnyAlgorithmSettings });
    return { state: 'checked', check };
  }

  /** An empty text means the built-in objective. */
  protected override keep(text: string) {
    const own = text.trim() === '' || text === this.own;
    if (!own) void this.app.consent.allow(text);
    this.app.draft.edit(`${this.path}.objectiveCode`, own ? undefined : text);
  }
}
