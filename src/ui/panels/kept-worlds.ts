/** "My worlds" in the editor of typed worlds: keeps the text under a name; opens, renames, deletes and saves others. */
import { msg, str } from '@lit/localize';
import { css, html, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { type NamedWorld, writeWorldFile } from '../../experiment/world-file.ts';
import { sentence } from '../control/notifier.ts';
import { download } from '../kit/download.ts';
import { LocalizedElement } from '../kit/localized-element.ts';
import { controls } from '../kit/styles/shared.ts';
import { dropWorld, keepWorld, keptWorlds, renameWorld } from '../state/kept-worlds.ts';

const longestName = 120;

/** A kept world that the editor is asked to open. */
export class OpenWorldEvent extends Event {
  constructor(readonly world: NamedWorld) {
    super('open-world');
  }
}

/** Saves a world as a .tabworld file. */
export function saveWorld(world: NamedWorld): void {
  const file = world.name.replace(/[^\p{L}\p{N}-]+/gu, '-').replace(/^-+|-+$/g, '') || 'world';
  download(new Blob([writeWorldFile(world)], { type: 'application/json' }), `${file}.tabworld`);
}

@customElement('tabgym-kept-worlds')
export class TabgymKeptWorlds extends LocalizedElement {
  static override styles = [
    controls,
    css`
      details > summary {
        cursor: pointer;
        min-height: 24px;
        line-height: 24px;
      }
      .inner {
        display: grid;
        gap: 6px;
        max-height: 28dvh;
        overflow: auto;
      }
      ul {
        list-style: none;
        margin: 0;
        padding: 0;
        display: grid;
        gap: 4px;
      }
      .name {
        flex: 1;
        min-width: 120px;
        overflow-wrap: anywhere;
        justify-content: start;
        text-align: start;
      }
      form input {
        flex: 1;
        min-width: 120px;
      }
    `,
  ];

  /** World in the editor, with the name that it was opened under. */
  @property({ attribute: false }) current!: () => NamedWorld;
  /** Name of the world in the editor. */
  @property() name = '';
  @state() private worlds: NamedWorld[] = keptWorlds();
  @state() private renaming = '';
  @state() private deleted: NamedWorld | null = null;
  @state() private problem = '';

  override render() {
    const { worlds, deleted, problem } = this;
    return html`<details><summary>${msg(str`My worlds (${worlds.length})`)}</summary><div class="inner">
      ${worlds.length ? html`<ul>${worlds.map((world) => this.renderWorld(world))}</ul>` : html`<p class="soft small">${msg('Worlds that you keep stay in this browser.')}</p>`}
      ${deleted ? html`<p class="small" role="status">${msg(str`“${deleted.name}” was deleted.`)} <button class="link" @click=${() => this.restore(deleted)}>${msg('Undo')}</button></p>` : nothing}
      <form class="row" @submit=${this.keep}>
        <input name="name" required maxlength=${longestName} aria-label=${msg('Name of the world')} placeholder=${msg('Name of the world')} .value=${this.name} />
        <button>${msg('Keep this world')}</button></form>
      ${problem ? html`<p class="bad small" role="alert">${problem}</p>` : nothing}
    </div></details>`;
  }

  private renderWorld(world: NamedWorld) {
    const { name } = world;
    if (this.renaming === name)
      return html`<li><form class="row" @submit=${(event: SubmitEvent) => this.rename(event, name)}>
        <input name="name" required maxlength=${longestName} aria-label=${msg('New name')} .value=${name} /><button>${msg('Rename')}</button></form></li>`;
    return html`<li class="row">
      <button class="quiet name" aria-label=${msg(str`Open “${name}”`)} @click=${() => this.dispatchEvent(new OpenWorldEvent(world))}>${name}</button>
      <button class="quiet" aria-label=${msg(str`Rename “${name}”`)} @click=${() => void this.startRenaming(name)}>${msg('Rename')}</button>
      <button class="quiet" aria-label=${msg(str`Save “${name}” as a file`)} @click=${() => saveWorld(world)}>${msg('Save as a file')}</button>
      <button class="quiet" aria-label=${msg(str`Delete “${name}”`)} @click=${() => this.drop(world)}>${msg('Delete')}</button></li>`;
  }

  private attempt(act: () => void) {
    try {
      this.problem = '';
      act();
    } catch (error) {
      this.problem = msg(str`The browser could not keep it: ${sentence(error)}`);
    }
    this.worlds = keptWorlds();
  }

  private nameOf = (event: SubmitEvent) => {
    event.preventDefault();
    return String(new FormData(event.target as HTMLFormElement).get('name')).trim();
  };

  private keep = (event: SubmitEvent) => {
    const name = this.nameOf(event);
    if (name) this.attempt(() => keepWorld({ ...this.current(), name }));
  };

  private async startRenaming(name: string) {
    this.renaming = name;
    await this.updateComplete;
    this.renderRoot.querySelector<HTMLInputElement>('li input')?.select();
  }

  private rename(event: SubmitEvent, from: string) {
    const to = this.nameOf(event);
    this.attempt(() => {
      if (to === '' || to === from || renameWorld(from, to)) this.renaming = '';
      else this.problem = msg(str`Another world is named “${to}”.`);
    });
  }

  private drop(world: NamedWorld) {
    this.attempt(() => dropWorld(world.name));
    this.deleted = world;
  }

  private restore(world: NamedWorld) {
    this.attempt(() => keepWorld(world));
    this.deleted = null;
  }
}
