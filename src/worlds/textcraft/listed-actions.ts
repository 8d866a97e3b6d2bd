/**
 * Valid actions in TextCraft's first observation: every command shown, and fetching each ingredient of every command.
 */
const commandPattern = /^craft .+? using (.+)$/;

/** Returns null if the first observation is not one of TextCraft. Argument: the world's observations so far. */
export function listedInTextCraft([first = '']: readonly string[]): string[] | null {
  const [heading, ...lines] = first.split('\n');
  if (heading !== 'Crafting commands:') return null;
  const actions = new Set<string>();
  for (const line of lines) {
    const inputs = commandPattern.exec(line)?.[1];
    if (inputs === undefined) continue;
    actions.add(line);
    for (const input of inputs.split(', ')) actions.add(`get ${input}`);
  }
  return [...actions];
}
