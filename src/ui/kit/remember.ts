/**
 * Keeps a setting for the next visit. Writing throws where the browser's storage is full, for example with what other
 * pages of the same site keep; the setting then holds until the page is closed.
 */
export function remember(key: string, value: string, storage: Storage = localStorage): void {
  try {
    storage.setItem(key, value);
  } catch {
    // Nothing depends on it.
  }
}
