/** Opens a store on the first call and returns the same one afterwards. A failed attempt is tried again. */
export function openOnce<T>(open: () => Promise<T>): () => Promise<T> {
  let opened: Promise<T> | null = null;
  return () => {
    opened ??= open();
    opened.catch(() => {
      opened = null;
    });
    return opened;
  };
}
