/** What is searched for in trajectories: words as they stand, letters of either case; `*` stands for anything between two of them. Pure. */

/** Whether a text says it. What stands around a `*` must come in this order. */
export function saying(wanted: string): (text: string) => boolean {
  const parts = wanted
    .toLowerCase()
    .split('*')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  return (text) => {
    const lower = text.toLowerCase();
    let from = 0;
    for (const part of parts) {
      const at = lower.indexOf(part, from);
      if (at < 0) return false;
      from = at + part.length;
    }
    return true;
  };
}

/** An action and what the world answers to it are read as one text, so that a search can ask for both. */
export const turnText = (action: string, observation: string): string => `${action}\n${observation}`;
