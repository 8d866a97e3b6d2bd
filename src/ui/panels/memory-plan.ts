/** Memory plan of the draft: bytes of each part on the device, and whether they fit. */
import { msg } from '@lit/localize';
import { css, html, nothing } from 'lit';
import { factsOf } from '../../experiment/policies/registry.ts';
import type { MemoryPlanReport } from '../../session/protocol.ts';
import { bytes } from '../kit/format.ts';
import { memoryPartLabel } from '../state/labels.ts';
import type { State } from '../state/state.ts';

export const planStyles = css`
  .plan {
    display: flex;
    height: 10px;
    border-radius: 5px;
    overflow: hidden;
    background: var(--surface-3);
    gap: 1px;
  }
  .plan span {
    min-width: 1px;
  }
`;

export function memoryPlan({ plan, gpu, draft }: State) {
  // The plan does not cover the ONNX runtime.
  if (!gpu?.supported || plan.state === 'none' || (draft && !factsOf(draft.policy).planned)) return nothing;
  return html`<section aria-label=${msg('Memory plan')}>
    <h2>${msg('Device memory')}</h2>
    ${plan.state === 'loading' ? html`<p class="soft" role="status">${msg('Planning')}…</p>` : nothing}
    ${plan.state === 'error' ? html`<div class="message error">${plan.message}</div>` : nothing}
    ${plan.state === 'ready' ? planParts(plan.value) : nothing}
  </section>`;
}

function planParts(plan: MemoryPlanReport) {
  const colors = ['--series-1', '--series-2', '--series-3', '--series-4', '--series-5', '--line-strong'];
  const parts = [...plan.parts].sort((a, b) => b.bytes - a.bytes);
  return html`
    <p class="row spread"><strong class="number">${bytes(plan.total)}</strong>
      <span class="badge ${plan.fits ? 'good' : 'bad'}">${plan.fits ? `✓ ${msg('fits')}` : `✕ ${msg('does not fit')}`}</span></p>
    <div class="plan" aria-hidden="true">${parts.map((part, index) => html`<span .style=${`flex:${part.bytes} 0 0;background:var(${colors[index % colors.length]})`}></span>`)}</div>
    ${plan.advice ? html`<p class=${plan.fits ? 'soft small' : 'message error'}>${plan.advice}</p>` : nothing}
    <details><summary>${msg('By part')}</summary>
      <table class="list small"><thead class="visually-hidden"><tr><th>${msg('Part')}</th><th>${msg('Bytes')}</th></tr></thead>
        <tbody>${parts.map((part) => html`<tr><td>${memoryPartLabel(part.name)}</td><td class="number" title=${String(part.bytes)}>${bytes(part.bytes)}</td></tr>`)}</tbody></table>
    </details>`;
}
