/** Identity of a person's code, for consent. */

/** SHA-256 in hexadecimal. Without https there is no digest; the code itself then serves as its hash. */
export async function codeHash(code: string): Promise<string> {
  const subtle = globalThis.crypto?.subtle;
  if (!subtle) return code;
  const digest = await subtle.digest('SHA-256', new TextEncoder().encode(code));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
