/** Requests to the judge of a reward, over the same client and with the same permission as a model behind an API. */
import type { AskJudge } from '../../rl/rewards/counted-judge.ts';
import { ApiModel } from './api-model.ts';
import { currentKey } from './current-key.ts';
import type { ModelSettings } from './model-connection.ts';

/** A judge answers at temperature 0 with one seed, so that equal episodes get equal scores where the server allows it. */
const asking = { temperature: 0, seed: 0 };

/** Sends each request to the model of its address. A judge without room for an episode gives an empty reply. */
export function judgeAsker(modelSettings?: ModelSettings): AskJudge {
  const models = new Map<string, ApiModel>();
  return async ({ address, model, content, maxTokens }, signal = new AbortController().signal) => {
    const name = JSON.stringify([address, model]);
    const client =
      models.get(name) ?? new ApiModel({ address, model, key: () => currentKey(address, modelSettings, 'judge') });
    models.set(name, client);
    const reply = await client.reply([{ role: 'user', content }], { ...asking, maxTokens, signal });
    return typeof reply === 'string' ? reply : '';
  };
}
