/** Key of a model behind an API: the player, a judge or a teacher. */
import { ApiModelError } from './api-model.ts';
import type { ModelRole, ModelSettings } from './model-connection.ts';

/**
 * Key for a model's address, read at each request: the user may enter another while the run is open. Throws
 * `ApiModelError` if the address came with somebody else's experiment and is not allowed yet.
 */
export function currentKey(
  address: string,
  modelSettings: ModelSettings | undefined,
  role: ModelRole = 'model',
): string | null {
  const { withheld, token } = modelSettings?.(address, role) ?? {};
  if (withheld)
    throw new ApiModelError(
      `This experiment came from somebody else and would send its episodes to ${address}. Allow it in the setup, beside the model, then try again.`,
    );
  return token ?? null;
}
