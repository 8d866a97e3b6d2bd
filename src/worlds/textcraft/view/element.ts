/**
 * Drawing of TextCraft: the inventory, the recipes shown, and the crafting tree of the goal. All states have a text
 * label.
 */
import { msg, str } from '@lit/localize';
import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { controls } from '../../../ui/kit/styles/shared.ts';
import type { CraftNode, TextCraftView } from '../view-data.ts';

const namesOf = (node: CraftNode): string[] => [node.name, ...node.children.flatMap(namesOf)];

@customElement('tabgym-textcraft-view')
export class TabgymTextCraftView extends LitElement {
  static override styles = [
    controls,
    css`
      :host {
        display: block;
        container-type: inline-size;
      }
      .parts {
        display: grid;
        gap: 12px;
      }
      @container (min-width: 620px) {
        .parts {
          grid-template-columns: minmax(0, 1fr) minmax(0, 1.2fr);
        }
        .goal {
          grid-column: 1 / -1;
        }
      }
      .goal {
        font-size: var(--size-l);
      }
      .goal strong {
        font-family: var(--mono);
      }
      h3 {
        margin-block-end: 4px;
        color: var(--text-2);
        font-size: var(--size-s);
      }
      ul {
        list-style: none;
      }
      .tree ul {
        margin-inline-start: 9px;
        padding-inline-start: 12px;
        border-inline-start: 1px solid var(--line-strong);
      }
      .node {
        display: inline-flex;
        gap: 6px;
        align-items: baseline;
        padding: 1px 0;
      }
      .node .mark {
        width: 1em;
        text-align: center;
      }
      .done {
        color: var(--good);
      }
      .chips {
        display: flex;
        flex-wrap: wrap;
        gap: 4px;
      }
      .chip {
        padding: 1px 8px;
        border-radius: var(--radius);
        background: var(--surface-3);
        font-family: var(--mono);
        font-size: var(--size-s);
      }
      .commands li {
        font-family: var(--mono);
        font-size: var(--size-s);
        padding: 1px 6px;
        border-inline-start: 3px solid transparent;
        overflow-wrap: anywhere;
      }
      .commands .needed {
        border-color: var(--accent);
        background: var(--accent-soft);
      }
    `,
  ];

  @property({ attribute: false }) view: TextCraftView | null = null;

  override render() {
    const { view } = this;
    if (!view) return nothing;
    const needed = new Set(namesOf(view.tree));
    return html`<div class="parts">
      <p class="goal">${msg('Goal')}: <strong>${view.goal}</strong></p>
      <div>
        <h3>${msg('Crafting tree')}</h3>
        <ul class="tree"><li>${this.renderNode(view.tree)}</li></ul>
        <h3 .style=${'margin-block-start:10px'}>${msg('Inventory')}</h3>
        ${
          view.inventory.length
            ? html`<div class="chips">${view.inventory.map((item) => html`<span class="chip">${item.count} × ${item.name}</span>`)}</div>`
            : html`<p class="soft small">${msg('Nothing carried yet.')}</p>`
        }
      </div>
      <div>
        <h3>${msg('Recipes the world shows')}</h3>
        <ul class="commands">${view.commands.map(
          (command) =>
            html`<li class=${needed.has(command.output) ? 'needed' : ''}>${command.text}${
              needed.has(command.output)
                ? html`<span class="visually-hidden"> (${msg('leads to the goal')})</span>`
                : nothing
            }</li>`,
        )}</ul>
      </div>
    </div>`;
  }

  private renderNode(node: CraftNode): TemplateResult {
    const done = node.have >= node.need;
    const mark = done ? '✓' : node.have > 0 ? '◐' : '○';
    const how = node.craftable ? msg('craft') : msg('get');
    return html`<span class="node ${done ? 'done' : ''}"><span class="mark" aria-hidden="true">${mark}</span>
        <span class="mono">${node.name}</span> <span class="small soft number">${msg(str`${node.have} of ${node.need}, ${how}`)}</span></span>
      ${node.children.length ? html`<ul>${node.children.map((child) => html`<li>${this.renderNode(child)}</li>`)}</ul>` : nothing}`;
  }
}
