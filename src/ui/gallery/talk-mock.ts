/** Replies of the mock's language model: a few words, streamed in three parts. */
import type { TalkProgress, TalkReply, TalkRequest } from '../../session/talk-protocol.ts';

const text = 'It learns from rewards: what worked becomes more likely.';

const later = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

export async function mockReply(
  { messages, maxTokens }: TalkRequest,
  report: (talk: TalkProgress) => void,
): Promise<TalkReply> {
  if (messages.at(-1)?.content.includes('fail'))
    throw new Error('The language model cannot be opened: the device is lost. Reload the page.');
  report({ phase: 'opening', what: 'Loading', done: 60e6, total: 98e6 });
  await later(120);
  report({ phase: 'reading', tokens: 31 });
  await later(120);
  report({ phase: 'replying', text: text.slice(0, 23), tokens: 5, ms: 250 });
  await later(120);
  const counts = { readTokens: 31, readMs: 420, tokens: Math.min(12, maxTokens), replyMs: 600 };
  return { text, ending: 'stop', step: 0, leftOut: 0, ...counts };
}
