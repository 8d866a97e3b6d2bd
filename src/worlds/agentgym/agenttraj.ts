/**
 * Reads the instruction from a file of AgentTraj (AgentGym's trajectories,
 * huggingface.co/datasets/AgentGym/AgentTraj-L). The first two messages of every conversation are the original's
 * instruction and the model's acknowledgement. The file is provided by the user; none of it is shipped.
 */
import * as v from 'valibot';
import { WorldError } from '../../envs/env.ts';

const MessageSchema = v.object({ from: v.string(), value: v.string() });
const ConversationSchema = v.object({ conversations: v.pipe(v.array(MessageSchema), v.minLength(2)) });

const none = () =>
  new WorldError(
    'This is not an AgentTraj file. It must be JSON with conversations whose first two messages are an instruction (from "human") and an answer (from "gpt").',
  );

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // JSON lines: one conversation per line, of which the first is enough.
    const line = text.slice(0, Math.max(0, text.indexOf('\n')));
    try {
      return JSON.parse(line);
    } catch {
      throw none();
    }
  }
}

export function instructionOf(text: string): { instruction: string; acknowledgement: string } {
  const value = parsed(text);
  const result = v.safeParse(ConversationSchema, Array.isArray(value) ? value[0] : value);
  if (!result.success) throw none();
  const [first, second] = result.output.conversations;
  if (first.from !== 'human' || second.from !== 'gpt') throw none();
  return { instruction: first.value, acknowledgement: second.value };
}
