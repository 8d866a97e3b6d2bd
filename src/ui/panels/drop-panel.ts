/** Base class of panels into which files are dropped or chosen, those of nested folders included. */
import { css } from 'lit';
import { state } from 'lit/decorators.js';
import type { PathFile } from '../../corpus/own-files.ts';
import { LocalizedElement } from '../kit/localized-element.ts';
import { filesWithin } from '../state/dropped-tree.ts';

export const dropStyles = css`
  :host,
  .drop {
    display: grid;
    gap: 8px;
  }
  .drop {
    padding: 8px;
    border: 1px dashed var(--line-strong);
    border-radius: var(--radius);
  }
  .drop.over {
    border-color: var(--accent);
    background: var(--accent-soft);
  }
  td {
    overflow-wrap: anywhere;
  }
`;

export abstract class DropPanel extends LocalizedElement {
  @state() protected message = '';
  @state() protected problem = '';
  /** True while files are held over the panel. */
  @state() protected over = false;

  /** Takes the files of a drop or of an input. */
  protected abstract offer(files: PathFile[]): void;

  /** Runs work and shows its error as a sentence. */
  protected abstract attempt(work: () => Promise<void>): Promise<void>;

  protected drag = (event: DragEvent) => {
    event.preventDefault();
    event.stopPropagation();
    this.over = true;
  };

  protected leave = () => {
    this.over = false;
  };

  protected drop = (event: DragEvent) => {
    event.preventDefault();
    event.stopPropagation();
    this.over = false;
    const dropped = droppedTree(event.dataTransfer);
    void this.attempt(async () => this.offer(await dropped));
  };

  protected choose = ({ target }: Event) => this.offer(chosenTree(target as HTMLInputElement));
}

/** The entries are read before anything is awaited: a drop's data is gone afterwards. */
function droppedTree(transfer: DataTransfer | null): Promise<PathFile[]> {
  const entries = [...(transfer?.items ?? [])].map((item) => item.webkitGetAsEntry?.() ?? null);
  const files = [...(transfer?.files ?? [])];
  const read = entries.filter((entry) => entry !== null);
  return read.length ? filesWithin(read) : Promise.resolve(files.map((file) => ({ path: file.name, file })));
}

/** Files of an input element, with their paths in the chosen folder. */
const chosenTree = (input: HTMLInputElement): PathFile[] =>
  [...(input.files ?? [])].map((file) => ({ path: file.webkitRelativePath || file.name, file }));
