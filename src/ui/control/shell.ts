/**
 * The page's control before the rest of its code is loaded: state, notices, layout and the recorded episode of a first
 * visit. Imports no experiment, world or algorithm, so that the first picture needs little code. The controller
 * (`controller.ts`) takes these parts over.
 */
import { msg } from '@lit/localize';
import type { TrainerApi } from '../../session/protocol.ts';
import { isNewcomer } from '../state/newcomer.ts';
import { Store } from '../state/state.ts';
import { Layout } from './layout.ts';
import type { LazyParts } from './lazy-parts.ts';
import { Notifier } from './notifier.ts';
import { Recorded } from './recorded.ts';

/** Parts that the controller provides. */
interface LateParts {
  api(): TrainerApi;
  refreshModels(): Promise<void>;
}

const notLoaded: LateParts = {
  api: () => {
    throw new Error(msg('The trainer is still starting. Try again in a moment.'));
  },
  refreshModels: async () => {},
};

export class Shell {
  readonly store = new Store();
  readonly notifier = new Notifier(this.store);
  readonly recorded = new Recorded(this.store, () => this.late.api());
  readonly layout: Layout;
  private late = notLoaded;

  constructor(readonly parts: LazyParts) {
    this.layout = new Layout(
      this.store,
      () => this.late.api(),
      this.notifier,
      () => this.late.refreshModels(),
      parts,
    );
  }

  provide(late: LateParts) {
    this.late = late;
  }

  /** Restores the layout. A newcomer sees a recorded episode before the trainer has started. */
  async start() {
    this.layout.restore();
    if (isNewcomer()) await this.recorded.playSample();
  }
}

/** Base class of the controller: has the parts of the shell. */
export abstract class InShell {
  readonly store: Store;
  readonly notifier: Notifier;
  readonly recorded: Recorded;
  readonly layout: Layout;
  readonly parts: LazyParts;

  constructor(shell: Shell) {
    this.store = shell.store;
    this.notifier = shell.notifier;
    this.recorded = shell.recorded;
    this.layout = shell.layout;
    this.parts = shell.parts;
  }
}
