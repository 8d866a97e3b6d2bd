/** Takes the first block between triple backticks, as WebArena's agents do. */
import type { Reply } from '../../envs/reply.ts';

export function backticks(text: string): Reply {
  const found = /```(.*?)```/su.exec(text);
  if (!found) return { action: '', refusal: `Cannot parse action from response ${text}` };
  return { action: found[1].trim() };
}
