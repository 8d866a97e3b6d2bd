/**
 * How an episode's text becomes tokens: `<bos> <obs> observation <act>`, then for each turn `action <eot>` and
 * `<obs> observation <act>`. A tiny policy gets neither the instruction nor whitespace; a chat template would put its own
 * pieces in the same places. Sampled tokens are never rewritten.
 */
import type { Tokenizer } from '../policy/tokenizer.ts';
import { TokenSource } from './trajectory.ts';

export interface Pieces {
  beforePrompt: Int32Array;
  beforeObservation: Int32Array;
  afterObservation: Int32Array;
  /** Ends the policy's turn; part of it. */
  endOfTurn: Int32Array;
}

export interface SourcedTokens {
  tokens: Int32Array;
  /** TokenSource of each. */
  source: Uint8Array;
}

/** The pieces of a tiny policy. */
export function tinyPieces(tokenizer: Tokenizer): Pieces {
  const one = (token: string) => Int32Array.of(tokenizer.id(token));
  return {
    beforePrompt: one('<bos>'),
    beforeObservation: one('<obs>'),
    afterObservation: one('<act>'),
    endOfTurn: one('<eot>'),
  };
}

export class Conversation {
  constructor(
    readonly tokenizer: Tokenizer,
    readonly pieces: Pieces = tinyPieces(tokenizer),
  ) {}

  /** Tokens up to the policy's first. Shared by a group: same task, same prompt. */
  prompt(observation: string): SourcedTokens {
    const rest = this.observation(observation);
    return joinTokens([template(this.pieces.beforePrompt), rest]);
  }

  /** What follows an action: the world's words, up to the policy's next token. */
  observation(text: string): SourcedTokens {
    const world = this.tokenizer.encode(text);
    return joinTokens([
      template(this.pieces.beforeObservation),
      { tokens: world, source: new Uint8Array(world.length).fill(TokenSource.world) },
      template(this.pieces.afterObservation),
    ]);
  }

  /** An action as the policy would say it, end of turn included. */
  action(text: string): Int32Array {
    return concat([this.tokenizer.encode(text), this.pieces.endOfTurn]);
  }

  /** The action in the policy's own words: without the end of its turn. */
  actionText(tokens: Int32Array): string {
    const end = this.pieces.endOfTurn[0];
    const stop = tokens.indexOf(end);
    return this.tokenizer.decode(stop < 0 ? tokens : tokens.subarray(0, stop));
  }

  get stopTokens(): number[] {
    return [this.pieces.endOfTurn[0]];
  }
}

const template = (tokens: Int32Array): SourcedTokens => ({
  tokens,
  source: new Uint8Array(tokens.length).fill(TokenSource.template),
});

export function concat(parts: readonly Int32Array[]): Int32Array {
  const out = new Int32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    out.set(part, offset);
    offset += part.length;
  }
  return out;
}

function joinTokens(parts: readonly SourcedTokens[]): SourcedTokens {
  const tokens = concat(parts.map((part) => part.tokens));
  const source = new Uint8Array(tokens.length);
  let offset = 0;
  for (const part of parts) {
    source.set(part.source, offset);
    offset += part.source.length;
  }
  return { tokens, source };
}
