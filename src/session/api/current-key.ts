/** Key of a model behind an API, for the player and for the judge. */
import type { ConnectionSettings } from '../../envs/module.ts';
import { ApiModelError } from './api-model.ts';

/**
 * Key for a model's address, read at each request: the user may enter another while the run is open. Throws
 * `ApiModelError` if the address came with somebody else's experiment and is not allowed yet.
 */
export function currentKey(
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
