/** Messages that have more characters than a prompt's tokens can hold are refused before they are divided into tokens. */
import { expect, test } from 'vitest';
import { Completer, type CompletionPolicy } from '../../src/session/completion.ts';

test('a megabyte of marks is refused by its characters, without reading it', async () => {
  const capacity = { promptTokens: 10, completionTokens: 10, rows: 1 };
  // Without a conversation, nothing can be read.
  const completer = new Completer({ policy: { capacity }, conversation: {} } as unknown as CompletionPolicy);
  const asked = (content: string) =>
    completer.complete({
      messages: [{ role: 'user', content }],
      ...{ n: 1, temperature: 1, maxTokens: 1, stop: [], seed: 1, choices: null },
    });
  await expect(asked('!?.'.repeat(300_000))).rejects.toThrow(
    'The messages have 900000 characters, and this policy reads at most 2000',
  );
  await expect(asked('x'.repeat(2000))).rejects.toThrow(TypeError);
});
