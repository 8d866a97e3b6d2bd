/**
 * Valid actions in TextCraft's first observation: every command shown, and fetching each ingredient of every command.
 */
const command = /^craft .+? using (.+)$/;

/** Returns null if the first observation is not one of TextCraft. Argument: the world's observations so far. */
export function offeredInTextCraft([first = '']: readonly string[]): string[] | null {
  const [heading, ...lines] = first.split('\n');
  if (heading !== 'Crafting commands:') return null;
  const offered = new Set<string>();
  for (const line of lines) {
    const inputs = command.exec(line)?.[1];
    if (inputs === undefined) continue;
    offered.add(line);
    for (const input of inputs.split(', ')) offered.add(`get ${input}`);
  }
  return [...offered];
}
