/** The first block between three backticks, as WebArena's agents are read. */
import type { Reply } from '../../envs/reply.ts';

export function backticks(text: string): Reply {
  const found = /```((?:.|\n)*?)```/su.exec(text);
  if (!found) return { action: '', refusal: `Cannot parse action from response ${text}` };
  return { action: found[1].trim() };
}
