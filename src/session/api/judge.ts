/** Requests to the judge of a reward, over the same client and with the same permission as a model behind an API. */
import type { ConnectionSettings } from '../../envs/module.ts';
import type { AskJudge } from '../../rl/rewards/counted-judge.ts';
import { ApiModel, ApiModelError } from './api-model.ts';

/** Reads the current key: the user may enter another while the run is open. */
export function keyOf(
  address: string,
  modelSettings: ((address: string) => ConnectionSettings) | undefined,
): string | null {
  const { withheld, token } = modelSettings?.(address) ?? {};
  if (withheld)
    throw new ApiModelError(
      `This experiment came from somebody else and would send its episodes to ${address}. Allow it in the setup, beside the model, then try again.`,
    );
  return token ?? null;
}

/** A judge answers at temperature 0 with one seed, so that equal episodes get equal scores where the server allows it. */
const asking = { temperature: 0, seed: 0 };

/** Sends each request to the model of its address. A judge without room for an episode gives an empty reply. */
export function judgeAsker(modelSettings?: (address: string) => ConnectionSettings): AskJudge {
  const models = new Map<string, ApiModel>();
  return async ({ address, model, content, maxTokens }, signal = new AbortController().signal) => {
    const name = JSON.stringify([address, model]);
    const client = models.get(name) ?? new ApiModel({ address, model, key: () => keyOf(address, modelSettings) });
    models.set(name, client);
    const reply = await client.reply([{ role: 'user', content }], { ...asking, maxTokens, signal });
    return typeof reply === 'string' ? reply : '';
  };
}
