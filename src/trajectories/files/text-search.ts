/** Text search in trajectories, ignoring case; `*` matches anything between two parts. Pure functions. */

/** Returns a function that is true for texts that contain the searched parts in this order. */
export function textMatcher(wanted: string): (text: string) => boolean {
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

/** An action and the world's answer as one text, so that a search can match both. */
export const turnText = (action: string, observation: string): string => `${action}\n${observation}`;
