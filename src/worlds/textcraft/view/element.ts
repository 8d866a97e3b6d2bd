/**
 * Drawing of TextCraft: the crafting tree of the goal as a picture, the inventory as slots, and the recipes shown. Every
 * tile stands beside its item's name, and every state has a text.
 */
import { msg, str } from '@lit/localize';
import { html, nothing, type TemplateResult } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { bracketed, colon } from '../../../ui/kit/format.ts';
import { LocalizedElement } from '../../../ui/kit/localized-element.ts';
import { controls } from '../../../ui/kit/styles/shared.ts';
import type { Counted, CraftNode, TextCraftView } from '../view-data.ts';
import { textcraftStyles } from './styles.ts';
import { itemTile } from './tile.ts';

/** Minimum number of slots of the inventory; those without an item are empty. */
const fewestSlots = 6;

const namesOf = (node: CraftNode): string[] => [node.name, ...node.children.flatMap(namesOf)];

const tile = (name: string, size: 'small' | 'large' | '' = '') =>
  html`<svg class="tile ${size}" viewBox="0 0 48 48" aria-hidden="true">${itemTile(name)}</svg>`;

@customElement('tabgym-textcraft-view')
export class TabgymTextCraftView extends LocalizedElement {
  static override styles = [controls, textcraftStyles];

  @property({ attribute: false }) view: TextCraftView | null = null;

  override render() {
    const { view } = this;
    if (!view) return nothing;
    const needed = new Set(namesOf(view.tree));
    return html`<div class="parts">
      <p class="goal">${tile(view.goal, 'large')}<span>${msg('Goal')}${colon()}<strong>${view.goal}</strong></span>${
        view.renamed ? html`<span class="badge">${msg('exchanged names')}</span>` : nothing
      }</p>
      ${view.renamed ? html`<p class="soft small wide">${msg('In this task all words of the item names are exchanged, so that the recipes must be read and cannot be remembered.')}</p>` : nothing}
      <div class="tree-part">
        <h3>${msg('Crafting tree')}</h3>
        <div class="tree-scroll"><ul class="tree"><li>${this.renderNode(view.tree)}</li></ul></div>
      </div>
      <div>
        <h3>${msg('Inventory')}</h3>
        ${this.renderInventory(view.inventory)}
        ${view.inventory.length ? nothing : html`<p class="soft small">${msg('Nothing carried yet.')}</p>`}
      </div>
      <div>
        <h3>${msg('Recipes the world shows')}</h3>
        <ul class="commands">${view.commands.map((command) => this.renderCommand(command, needed))}</ul>
      </div>
    </div>`;
  }

  private renderNode(node: CraftNode): TemplateResult {
    const done = node.have >= node.need;
    const mark = done ? '✓' : node.have > 0 ? '◐' : '○';
    const how = node.craftable ? msg('craft') : msg('get');
    return html`<span class="node ${done ? 'done' : ''}">${tile(node.name)}<span class="name">${node.name}</span>
        <span class="small number"><span aria-hidden="true">${mark}</span> ${msg(str`${node.have} of ${node.need}, ${how}`)}</span></span>
      ${node.children.length ? html`<ul>${node.children.map((child) => html`<li>${this.renderNode(child)}</li>`)}</ul>` : nothing}`;
  }

  private renderInventory(items: readonly Counted[]) {
    const empty = Math.max(0, fewestSlots - items.length);
    return html`<ul class="slots">${items.map(
      ({ name, count }) =>
        html`<li class="slot">${tile(name)}<span class="count number" aria-hidden="true">${count}</span><span class="name"><span class="visually-hidden">${count} × </span>${name}</span></li>`,
    )}${Array.from({ length: empty }, () => html`<li class="slot empty" aria-hidden="true"></li>`)}</ul>`;
  }

  private renderCommand({ text, output, inputs }: TextCraftView['commands'][number], needed: ReadonlySet<string>) {
    const leads = needed.has(output);
    return html`<li class=${leads ? 'needed' : ''}><span class="recipe" aria-hidden="true">${inputs.map(({ name }) => tile(name, 'small'))}<span class="soft">→</span>${tile(output, 'small')}</span>
      <span>${text}${leads ? html`<span class="visually-hidden">${bracketed(msg('leads to the goal'))}</span>` : nothing}</span></li>`;
  }
}
