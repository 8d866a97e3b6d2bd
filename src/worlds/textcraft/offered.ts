/** What TextCraft's first text offers: every command that it shows, and fetching each ingredient of every command. */
const command = /^craft .+? using (.+)$/;

/** null: it is no first text of TextCraft. `said`: the world's texts so far. */
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
