/**
 * Storage that lives as long as the page, in place of a browser's that refuses any: in a sandboxed frame, or where
 * cookies of other sites are blocked, reading `localStorage` throws. Settings then last until the page is closed.
 */
function memoryStorage(): Storage {
  const items = new Map<string, string>();
  return {
    get length() {
      return items.size;
    },
    key: (index) => [...items.keys()][index] ?? null,
    getItem: (key) => items.get(String(key)) ?? null,
    setItem: (key, value) => void items.set(String(key), String(value)),
    removeItem: (key) => void items.delete(String(key)),
    clear: () => items.clear(),
  };
}

/** Puts a storage in memory in place of each that cannot be read. */
export function replaceDeniedStorage(page: typeof globalThis = globalThis): void {
  for (const name of ['localStorage', 'sessionStorage'] as const)
    try {
      page[name].getItem('');
    } catch {
      Object.defineProperty(page, name, { value: memoryStorage(), configurable: true });
    }
}
