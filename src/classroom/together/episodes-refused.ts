/** Refusal of a member's episodes, by name. */

/** Reason of a refusal. `tokens`: they do not follow from the world; `logprobs`: not from the weights. */
type RefusedReason = 'form' | 'tokens' | 'reward' | 'logprobs';

export class EpisodesRefused extends Error {
  override name = 'EpisodesRefused';
  constructor(
    readonly reason: RefusedReason,
    message: string,
  ) {
    super(message);
  }
}
