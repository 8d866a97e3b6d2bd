/**
 * An actor that plays episodes as another machine claims to have played them. The rollout around it asks this machine's
 * own worlds, so that rewards, observations, allowed actions and endings come from here; of the claim only the sampled
 * tokens and their log-probabilities remain.
 */
import type {
  Actor,
  AdmittedGroup,
  Capacity,
  GeneratedTurn,
  GenerateRow,
  Sampling,
  TokenTrie,
} from '../../policy/policy.ts';
import { EpisodesRefused } from './episodes-refused.ts';

/** Tokens of an episode after its prompt, with their log-probabilities: 0 for tokens that the policy did not choose. */
export interface ClaimedTokens {
  tokens: readonly number[];
  logprobs: readonly number[];
}

interface Row extends ClaimedTokens {
  /** Tokens that were read or sampled so far. */
  at: number;
}

const refuse = (words: string): never => {
  throw new EpisodesRefused('tokens', words);
};

const noTurn = (ending: GeneratedTurn['ending']): GeneratedTurn => ({
  tokens: new Int32Array(0),
  logprobs: new Float32Array(0),
  leaf: -1,
  ending,
});

/** Node after a token; -1: the token is not allowed there. */
function childOf({ edgeStart, edgeToken, edgeNode }: TokenTrie, node: number, token: number): number {
  for (let edge = edgeStart[node]; edge < edgeStart[node + 1]; edge++)
    if (edgeToken[edge] === token) return edgeNode[edge];
  return -1;
}

export class ClaimedActor implements Actor {
  readonly numParameters = 0;
  private readonly rows = new Map<number, Row>();

  /** `claims`: by row key. */
  constructor(
    private readonly claims: ReadonlyMap<number, ClaimedTokens>,
    readonly capacity: Capacity,
    readonly vocabSize: number,
  ) {}

  counters() {
    const [tokensPrefilled, tokensGenerated, tokensTrained] = [0, 0, 0];
    const work = { dispatches: 0, submissions: 0, readbacks: 0, flops: 0, buffersCreated: 0 };
    return { tokensPrefilled, tokensGenerated, tokensTrained, ...work };
  }

  async admit(groups: readonly AdmittedGroup[]): Promise<void> {
    for (const { slots, rowKeys } of groups)
      slots.forEach((slot, k) => {
        const claim = this.claims.get(rowKeys[k]) ?? refuse(`Episode ${rowKeys[k]} is missing.`);
        this.rows.set(slot, { ...claim, at: 0 });
      });
  }

  release(slots: readonly number[]): void {
    for (const slot of slots) this.rows.delete(slot);
  }

  /** Windows that move are not trained together (`sharable.ts`). */
  async restart(): Promise<void> {
    refuse('An episode moves its window.');
  }

  room(slot: number): number {
    return this.capacity.completionTokens - this.rows.get(slot)!.at;
  }

  async generate(rows: readonly GenerateRow[], sampling: Sampling): Promise<GeneratedTurn[]> {
    return rows.map((row) => this.turn(row, sampling));
  }

  private turn({ slot, append, constraint }: GenerateRow, sampling: Sampling): GeneratedTurn {
    const row = this.rows.get(slot)!;
    if (row.at + append.length >= this.capacity.completionTokens) return noTurn('context');
    for (const token of append) {
      if (row.tokens[row.at] !== token) refuse(`Token ${row.at} is not the one that the world and its actions give.`);
      row.at++;
    }
    const longest = constraint?.depth ?? sampling.maxTokens;
    const turn = constraint ? this.listed(row, constraint) : this.free(row, sampling);
    if (turn) return turn;
    if (row.at + longest < this.capacity.completionTokens) refuse(`The episode ends in the middle of a turn.`);
    return noTurn('context');
  }

  /** The next token of the claim, with its log-probability; null: it has no more. */
  private next(row: Row): { token: number; logprob: number } | null {
    if (row.at >= row.tokens.length) return null;
    const [token, logprob] = [row.tokens[row.at], row.logprobs[row.at]];
    if (!(token >= 0 && token < this.vocabSize)) refuse(`Token ${row.at} is not in the vocabulary.`);
    row.at++;
    return { token, logprob };
  }

  /** An action of the list. null: the claim ends before it. */
  private listed(row: Row, trie: TokenTrie): GeneratedTurn | null {
    const [tokens, logprobs]: number[][] = [[], []];
    for (let node = 0; trie.leaf[node] < 0; ) {
      const given = this.next(row);
      if (!given) return null;
      const { token, logprob } = given;
      node = childOf(trie, node, token);
      if (node < 0) refuse(`Token ${row.at - 1} begins no action that the world allows.`);
      tokens.push(token);
      logprobs.push(logprob);
      if (trie.leaf[node] >= 0) return this.ended(tokens, logprobs, trie.leaf[node], 'leaf');
    }
    return this.ended(tokens, logprobs, trie.leaf[0], 'leaf');
  }

  private free(row: Row, { stopTokens, maxTokens }: Sampling): GeneratedTurn | null {
    const [tokens, logprobs]: number[][] = [[], []];
    while (tokens.length < maxTokens) {
      const given = this.next(row);
      if (!given) return null;
      tokens.push(given.token);
      logprobs.push(given.logprob);
      if (stopTokens.includes(given.token)) return this.ended(tokens, logprobs, -1, 'stop');
    }
    return this.ended(tokens, logprobs, -1, 'length');
  }

  private ended(tokens: number[], logprobs: number[], leaf: number, ending: GeneratedTurn['ending']): GeneratedTurn {
    return { tokens: Int32Array.from(tokens), logprobs: Float32Array.from(logprobs), leaf, ending };
  }

  destroy(): void {}
}
