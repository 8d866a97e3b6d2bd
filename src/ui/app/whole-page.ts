/** The page beyond its first picture: the controller and every panel. Loaded after the first picture is painted. */
import '../charts/progress.ts';
import { Controller } from '../control/controller.ts';
import { isActive } from '../control/events.ts';
import { installShortcuts } from '../control/shortcuts.ts';
import '../panels/drawer.ts';
import '../panels/help.ts';
import '../panels/setup.ts';
import type { ReactiveControllerHost } from 'lit';
import type { Shell } from '../control/shell.ts';
import '../panels/shared-note.ts';
import '../panels/transport.ts';
import '../stage/stage.ts';
import { Story } from '../simple/story.ts';
import { watchInteractions } from './interactions.ts';
import './notices.ts';
import { reportToSchool } from './school-report.ts';
import './splitter.ts';
import { keepAwake } from './wake-lock.ts';

export interface WholePage {
  readonly controller: Controller;
  makeStory(host: ReactiveControllerHost): Story;
  /** Removes the page's keys. */
  close(): void;
}

/** Makes the controller of a shell and starts it. */
export function openWholePage(shell: Shell): WholePage {
  const controller = new Controller(shell);
  reportToSchool(controller);
  const close = installShortcuts(controller);
  keepAwake(shell.store);
  void import('./focus-keeper.ts').then(({ keepFocus }) => keepFocus(shell.store));
  watchInteractions(
    () => isActive(shell.store.state.status),
    () => void controller.giveBackThread(),
  );
  void controller.start(location.search); // not a kind: the address's query
  return { controller, makeStory: (host) => new Story(controller, host), close };
}
