/** One token as a chip: its text as the model reads it, shaded by surprise, underlined if the policy chose it. */
import { msg, str } from '@lit/localize';
import { css, html } from 'lit';
import type { Trajectory } from '../../rl/episode/trajectory.ts';
import { fixed } from '../kit/format.ts';
import { surprise, tokenFacts } from '../state/episodes.ts';

export const tokenStyles = css`
  .segment {
    display: grid;
    grid-template-columns: 62px minmax(0, 1fr);
    gap: 6px;
    padding: 2px 0;
  }
  .segment > :nth-child(n + 3) {
    grid-column: 2;
  }
  .who {
    font-size: var(--size-s);
    color: var(--text-2);
    padding-block-start: 2px;
  }
  .policy .who {
    color: var(--text);
    font-weight: 600;
  }
  .stream,
  .plain {
    font-family: var(--mono);
    line-height: 1.75;
    white-space: pre-wrap;
    overflow-wrap: anywhere;
    border-radius: 4px;
  }
  .world .stream,
  .plain {
    color: var(--text-2);
    font-size: var(--size-s);
    line-height: 1.6;
  }
  .t {
    border-radius: 3px;
    padding: 1px 0;
    cursor: default;
  }
  .spaced .t {
    padding-inline: 1px;
  }
  .t.template {
    font-style: italic;
  }
  .t.p {
    background: color-mix(in oklab, var(--policy-ink) calc(var(--s) * 0.62%), transparent);
    border-block-end: 2px solid var(--policy-ink);
  }
  /* The shade is a background, which forced colours remove. */
  @media (forced-colors: active) {
    .t.p {
      forced-color-adjust: none;
      color: CanvasText;
    }
  }
  .t.forced {
    border-block-end-style: dotted;
  }
  .t:hover {
    outline: 1px solid var(--line-strong);
  }
  .t[aria-selected='true'] {
    outline: var(--lit-token, 2px solid var(--accent));
  }
`;

/** True for WordPiece, whose token texts carry no spaces. Texts of byte-level tokenizers do. */
export const needsSpaces = (texts: readonly string[] | null): boolean =>
  texts !== null && !texts.slice(0, 2000).some((text) => text.length > 1 && text.startsWith(' '));

export const tokenText = (texts: readonly string[] | null, id: number): string => texts?.[id] ?? `⟨${id}⟩`;

const shown = (text: string) => text.replace(/^##/, '').replaceAll('\n', '↵\n');

/**
 * Space before a token. Empty if the texts carry spaces, if the token continues a word ("##"), and at the start of a
 * line.
 */
export const gapBefore = (text: string, before: string, spaced: boolean): string =>
  spaced && !text.startsWith('##') && !before.endsWith('\n') ? ' ' : '';

export function tokenTemplate(
  trajectory: Trajectory,
  position: number,
  texts: readonly string[] | null,
  selected: boolean,
) {
  const text = tokenText(texts, trajectory.tokens[position]);
  const facts = tokenFacts(trajectory, position);
  const chosen = facts.source === 'policy';
  const shade = facts.logprob === null ? 0 : Math.round(100 * surprise(facts.logprob));
  const label = chosen ? msg(str`${text}, policy, probability ${fixed(Math.exp(facts.logprob ?? 0))}`) : text;
  return html`<span class="t${chosen ? ' p' : facts.source === 'template' ? ' template' : ''}${facts.forced ? ' forced' : ''}" role="option" id=${`k${position}`} data-k=${position}
    aria-selected=${selected ? 'true' : 'false'} aria-label=${label} .style=${`--s:${shade}`}>${shown(text)}</span>`;
}
