/** The recorded episode that a first visit shows before the rest of the page is loaded. */
import type { Shell } from '../control/shell.ts';
import { painted } from '../kit/painted.ts';
import { viewKind } from '../worlds/view-kinds.ts';

/** Longest wait for the picture; after it, the rest of the page is loaded beside it. */
const patienceMs = 2000;

const waited = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

async function pictureOf(shell: Shell): Promise<void> {
  await shell.start();
  const view = shell.store.state.live.at(-1)?.view;
  if (!view) return;
  await viewKind(view).load();
  await painted();
}

/** Starts the shell. Resolves when the episode's first turn is painted, at once if this visit has no recorded episode. */
export const firstPicture = (shell: Shell): Promise<void> => Promise.race([pictureOf(shell), waited(patienceMs)]);
