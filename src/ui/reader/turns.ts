/**
 * Draws the messages of a recorded conversation, for every view that shows one: role, thought and action, whether it is
 * trained on, and differences from another conversation.
 */
import { msg, str } from '@lit/localize';
import { css, html, nothing, type TemplateResult } from 'lit';
import type { Message } from '../../trajectories/files/record.ts';
import { colon } from '../kit/format.ts';
import type { TextPart } from './differences.ts';

export const turnStyles = css`
  .said {
    border-inline-start: 3px solid var(--line-strong);
    padding: 3px 0 5px 10px;
    margin-block-end: 6px;
    min-width: 0;
  }
  .said.assistant {
    border-color: var(--policy-ink);
  }
  .said.here {
    background: var(--accent-soft);
  }
  .said .who {
    display: flex;
    gap: 8px;
    align-items: baseline;
    flex-wrap: wrap;
    font-size: var(--size-s);
    color: var(--text-2);
  }
  .said .text {
    font-family: var(--mono);
    white-space: pre-wrap;
    overflow-wrap: anywhere;
    line-height: 1.55;
  }
  .said:not(.assistant) .text {
    font-size: var(--size-s);
    color: var(--text-2);
  }
  .thought {
    font-style: italic;
    color: var(--text-2);
  }
  .action {
    font-weight: 600;
  }
  mark {
    color: inherit;
    background: var(--warn-soft);
    text-decoration: underline 2px var(--warn);
    text-underline-offset: 3px;
    border-radius: 2px;
  }
`;

const roleNames = (): { [role in Message['role']]: string } => ({
  system: msg('System'),
  user: msg('World'),
  assistant: msg('Policy'),
  tool: msg('Tool'),
});

/** Start of the action in a reply, by AgentGym's rule (the last "Action:"); -1: the reply has no separate thought. */
const actionStart = (content: string): number => content.lastIndexOf('Action:');

/** Splits a list of stretches at character `at`. */
function cutAt(stretches: readonly TextPart[], at: number): [TextPart[], TextPart[]] {
  const [before, after]: [TextPart[], TextPart[]] = [[], []];
  let offset = 0;
  for (const { text, differs } of stretches) {
    const here = Math.max(0, Math.min(text.length, at - offset));
    if (here > 0) before.push({ text: text.slice(0, here), differs });
    if (here < text.length) after.push({ text: text.slice(here), differs });
    offset += text.length;
  }
  return [before, after];
}

/** No white space between the tags: the element shows white space as it is. */
const drawn = (stretches: readonly TextPart[]) =>
  stretches.map(({ text, differs }) => (differs ? html`<mark>${text}</mark>` : html`${text}`));

function textOf({ role, content }: Message, stretches: readonly TextPart[]) {
  const at = role === 'assistant' ? actionStart(content) : -1;
  if (at < 0) return html`<div class="text ${role === 'assistant' ? 'action' : ''}">${drawn(stretches)}</div>`;
  const [thought, action] = cutAt(stretches, at);
  return html`<div class="text"><span class="thought">${drawn(thought)}</span><span class="action">${drawn(action)}</span></div>`;
}

export interface MessageOptions {
  /** Number of the assistant's message, from 0; null: not an assistant's message. */
  turn: number | null;
  stretches?: readonly TextPart[];
  /** True for the turn that the link or the slider selects. */
  here?: boolean;
  note?: TemplateResult | typeof nothing;
}

export function messageTemplate(message: Message, { turn, stretches, here = false, note = nothing }: MessageOptions) {
  const { role, content, trained, reasoning } = message;
  return html`<div class="said ${role} ${here ? 'here' : ''}" id=${turn === null ? nothing : `turn-${turn}`}>
    <div class="who"><span>${roleNames()[role]}</span>
      ${turn === null ? nothing : html`<span class="number">${msg(str`turn ${turn + 1}`)}</span>`}
      ${trained === null || role !== 'assistant' ? nothing : html`<span class="badge">${trained ? msg('learnt') : msg('not learnt')}</span>`}
      ${note}</div>
    ${reasoning ? html`<div class="text thought"><span class="visually-hidden">${msg('Thought')}${colon()}</span>${reasoning}</div>` : nothing}
    ${textOf(message, stretches ?? [{ text: content, differs: false }])}
  </div>`;
}
