/** Hash that identifies the policy that teaches a run. */
import { hashLength } from '../../experiment/teacher-names.ts';
import { sha256 } from '../../store/sha256.ts';

/** Hash of a policy's files, whatever zip they came in. */
export function hashOfPolicy(files: { readonly [name: string]: Uint8Array }): string {
  const digests = Object.keys(files)
    .sort()
    .map((name) => `${name} ${sha256(files[name])}`);
  return sha256(new TextEncoder().encode(digests.join('\n'))).slice(0, hashLength);
}
