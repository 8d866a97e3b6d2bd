/** State of a tab for a step whose episodes are not stored: leads to the nearest step that has some. */
import { msg, str } from '@lit/localize';
import { html, nothing } from 'lit';
import { nearestStep } from '../../library/nearest-step.ts';
import type { Controller } from '../control/controller.ts';
import { emptyState } from '../kit/states.ts';

export function noEpisodes({ store, navigation }: Controller, step: number) {
  const { kept } = store.state;
  const near = nearestStep(kept, step);
  return emptyState(
    msg('Episodes not stored'),
    kept.length
      ? msg(str`The episodes of step ${step} are not stored, to save space.`)
      : msg('The episodes of this run are not stored, to save space. Watch its policy try a task instead.'),
    kept.length
      ? html`<button @click=${() => navigation.select({ step: near })}>${msg(str`Go to step ${near}`)}</button>`
      : nothing,
  );
}
