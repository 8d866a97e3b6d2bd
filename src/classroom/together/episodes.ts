/**
 * Episodes that a member of a class played for the trainer: their message, and the check that they follow from the
 * trainer's own worlds.
 */
import * as v from 'valibot';
import type { Capacity } from '../../policy/policy.ts';
import { type RolloutParts, type RolloutRequest, rollout } from '../../rl/episode/rollout.ts';
import type { Trajectory } from '../../rl/episode/trajectory.ts';
import { ClaimedActor } from './claimed-actor.ts';
import { EpisodesRefused } from './episodes-refused.ts';
import { secretSchema } from './messages.ts';

const mostTokens = 16_384;
const mostEpisodes = 256;

const whole = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(2 ** 31));

const episodeSchema = v.strictObject({
  tokens: v.pipe(v.array(whole), v.maxLength(mostTokens)),
  /** Of each token: 0 where the policy did not choose. */
  logprobs: v.pipe(v.array(v.pipe(v.number(), v.minValue(-1e4), v.maxValue(1e-3))), v.maxLength(mostTokens)),
  /** The world's score, which the trainer computes again. */
  score: v.pipe(v.number(), v.finite()),
});

export const deliverySchema = v.strictObject({
  secret: secretSchema,
  part: whole,
  version: whole,
  episodes: v.pipe(v.array(episodeSchema), v.minLength(1), v.maxLength(mostEpisodes)),
});

export type Delivery = v.InferOutput<typeof deliverySchema>;

/** The message's form of an episode. */
export const claimOf = ({ tokens, logprob, promptLength, score }: Trajectory): Delivery['episodes'][number] => ({
  tokens: [...tokens.subarray(promptLength)],
  logprobs: [...logprob.subarray(promptLength)],
  score,
});

/**
 * Plays the claimed episodes again in this machine's worlds, and returns them as played here. Rejects with
 * EpisodesRefused if tokens or score do not follow.
 */
export async function playedAgain(
  episodes: Delivery['episodes'],
  request: RolloutRequest,
  {
    worlds,
    conversation,
    capacity,
    vocabSize,
  }: Omit<RolloutParts, 'policy'> & { capacity: Capacity; vocabSize: number },
): Promise<Trajectory[]> {
  const { groupSize, firstGroup = 0, tasks } = request;
  if (episodes.length !== groupSize * tasks.length)
    throw new EpisodesRefused(
      'form',
      `There are ${episodes.length} episodes; ${groupSize * tasks.length} were asked for.`,
    );
  if (episodes.some(({ tokens, logprobs }) => tokens.length !== logprobs.length))
    throw new EpisodesRefused('form', 'An episode has not as many log-probabilities as tokens.');
  const claims = new Map(episodes.map((each, k) => [firstGroup * groupSize + k, each]));
  const policy = new ClaimedActor(claims, capacity, vocabSize);
  const played = await rollout({ policy, worlds, conversation }, request);
  played.forEach((own, k) => {
    const { tokens, score } = episodes[k];
    const completion = own.tokens.subarray(own.promptLength);
    if (completion.length !== tokens.length || completion.some((token, at) => token !== tokens[at]))
      throw new EpisodesRefused('tokens', `Episode ${k} has other tokens than its actions give.`);
    if (own.score !== score)
      throw new EpisodesRefused('reward', `Episode ${k} claims the score ${score}; its actions give ${own.score}.`);
  });
  return played;
}
