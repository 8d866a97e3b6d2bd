// A language model's conversation: the same tokens as its template renders, masks, stop tokens, replies and their
// actions.
import { describe, expect, it } from 'vitest';
import { promptRulesOf, type WorldOptions } from '../../src/envs/env.ts';
import { lastAction, oneAction } from '../../src/envs/reply.ts';
import type { GeneratedTurn, GenerateRow, Sampling } from '../../src/policy/policy.ts';
import { type ChatMessage, ChatTemplate } from '../../src/policy/text/chat-template.ts';
import { type ChatFamily, chatFamilies } from '../../src/policy/text/chat-templates.ts';
import { Tokenizer } from '../../src/policy/text/tokenizer.ts';
import { acknowledgement, type Conversation } from '../../src/rl/episode/conversation.ts';
import { conversationOf } from '../../src/rl/episode/conversation-files.ts';
import { chosenPositions } from '../../src/rl/episode/micro-batch.ts';
import { type RolloutRequest, rollout } from '../../src/rl/episode/rollout.ts';
import { TokenSource } from '../../src/rl/episode/trajectory.ts';
import { decodeTrajectories, encodeTrajectories } from '../../src/session/run/trajectory-codec.ts';
import { worldModule } from '../../src/worlds/registry.ts';
import { bpeTokenizer, bpeTokenizerJson } from '../policy/bpe-fixture.ts';
import { rowsHere } from '../worlds.ts';
import { capacity, DoorWorld, FakePolicy } from './fakes.ts';
import { tokenizer as tinyTokenizer } from './setup.ts';

const families = Object.keys(chatFamilies) as ChatFamily[];
const instruction = 'Open doors.\n\nAnswer with an action.\n';

function tokenizerOf(family: ChatFamily) {
  return bpeTokenizer(chatFamilies[family].specialTokens, family === 'qwen3' ? ['<think>', '</think>'] : []);
}

function conversationIn(family: ChatFamily, tokenizer = tokenizerOf(family)): Promise<Conversation> {
  const { config, stopTokens } = chatFamilies[family];
  const generationConfig = { eos_token_id: stopTokens.map((token) => tokenizer.id(token)) };
  return conversationOf(tokenizer, { tokenizerConfig: config, generationConfig });
}

/** Tokens of the whole conversation, rendered by the template and encoded by the tokenizer. */
async function rendered(family: ChatFamily, contents: readonly string[]): Promise<number[]> {
  const { chat_template, bos_token } = chatFamilies[family].config;
  const template = await ChatTemplate.open(chat_template, bos_token === null ? {} : { bos_token });
  const messages = contents.map((content, i): ChatMessage => ({ role: i % 2 ? 'assistant' : 'user', content }));
  return Array.from(tokenizerOf(family).encode(template.render(messages, { addGenerationPrompt: true })));
}

describe.each(families)('%s', (family) => {
  const first = '\n  Goal: open the red door. 🧪\n';

  it('has its template’s prompt, token for token', async () => {
    const conversation = await conversationIn(family);
    const { tokens } = conversation.prompt(first, instruction);
    expect(Array.from(tokens)).toEqual(await rendered(family, [instruction, acknowledgement, first]));
    expect(Array.from(conversation.prompt(first).tokens)).toEqual(await rendered(family, [first]));
  });

  // Qwen3's template removes the empty think block from earlier replies; sampled replies keep it.
  it.skipIf(family === 'qwen3')('continues as its template renders the whole', async () => {
    const conversation = await conversationIn(family);
    const replies = ['Thought:\nhm\n\nAction:\nget red key', 'Action: open red door'];
    const answers = ['Got it.', '\n\nOpened!\n'];
    const tokens = [...conversation.prompt(first, instruction).tokens];
    replies.forEach((reply, turn) => {
      tokens.push(...conversation.action(reply), ...conversation.observation(answers[turn]).tokens);
    });
    const contents = [instruction, acknowledgement, first, replies[0], answers[0], replies[1], answers[1]];
    expect(tokens).toEqual(await rendered(family, contents));
  });

  it('marks the world’s texts as such, and nothing of the template', async () => {
    const conversation = await conversationIn(family);
    for (const { tokens, source } of [conversation.prompt('Goal', instruction), conversation.observation('Goal')]) {
      const world = tokens.filter((_, i) => source[i] === TokenSource.world);
      expect(conversation.tokenizer.exactText(world, { special: true })).toBe('Goal');
      expect(source.includes(TokenSource.policy)).toBe(false);
    }
  });

  it('ends a turn at any of its stop tokens, and closes it as the template does', async () => {
    const conversation = await conversationIn(family);
    const { tokenizer, endOfTurn } = conversation;
    const { stopTokens, config } = chatFamilies[family];
    expect(tokenizer.token(endOfTurn)).toBe(config.eos_token);
    expect(new Set(conversation.stopTokens)).toEqual(new Set(stopTokens.map((token) => tokenizer.id(token))));
    for (const token of stopTokens) {
      const ids = tokenizer.encode(`get it${token}`);
      expect(conversation.replyText(ids)).toBe('get it');
      expect(Array.from(conversation.closing(ids))).toEqual(token === config.eos_token ? [] : [endOfTurn]);
    }
    expect(Array.from(conversation.closing(tokenizer.encode('get it')))).toEqual([endOfTurn]);
  });
});

it('a reply cut within a character by its limit is read without that character', async () => {
  const conversation = await conversationIn('qwen2');
  const ids = conversation.tokenizer.encode('get 水 🧪');
  for (let cut = 1; cut < ids.length; cut++) {
    const reply = conversation.replyText(ids.subarray(0, cut));
    expect('get 水 🧪'.startsWith(reply), reply).toBe(true);
  }
  expect(conversation.replyText(ids)).toBe('get 水 🧪');
});

describe('Qwen3', () => {
  it('keeps the think block before every sampled reply', async () => {
    const conversation = await conversationIn('qwen3');
    const text = conversation.tokenizer.exactText(conversation.observation('Got it.').tokens, { special: true });
    expect(text).toBe('\n<|im_start|>user\nGot it.<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n');
  });
});

describe('the files of a folder', () => {
  const plain = chatFamilies.qwen2;

  it('a tiny vocabulary selects a tiny policy’s conversation', async () => {
    const { format } = await conversationOf(tinyTokenizer, {});
    expect(format).toMatchObject({ instructs: false, parsesReplies: false });
  });

  it('a template may be in a list or in a separate file', async () => {
    const tokenizer = tokenizerOf('qwen2');
    const template = plain.config.chat_template;
    const list = [
      { name: 'tool_use', template: 'no' },
      { name: 'default', template },
    ];
    const one = await conversationOf(tokenizer, { tokenizerConfig: { chat_template: list } });
    const other = await conversationOf(tokenizer, { chatTemplate: template, tokenizerConfig: { chat_template: 'no' } });
    expect(other.format.pieces).toEqual(one.format.pieces);
    expect(one.format.pieces.beforeFirstUser).toContain('You are Qwen');
  });

  it('special tokens may have flags; eos ids come from every file that has them', async () => {
    const tokenizer = tokenizerOf('llama3');
    const { config } = chatFamilies.llama3;
    const flagged = {
      ...config,
      bos_token: { content: config.bos_token, special: true },
      eos_token: { content: '<|eom_id|>' },
    };
    const { stopTokens, format } = await conversationOf(tokenizer, {
      tokenizerConfig: flagged,
      generationConfig: { eos_token_id: tokenizer.id('<|end_of_text|>') },
      eosTokens: [tokenizer.id('<|eot_id|>')],
    });
    expect(format.pieces.beforeFirstUser.startsWith('<|begin_of_text|><|start')).toBe(true);
    expect(stopTokens.map((id) => tokenizer.token(id)).sort()).toEqual(['<|end_of_text|>', '<|eom_id|>', '<|eot_id|>']);
  });

  it('a stop string ends a reply if it is a token of its own, and is refused otherwise', async () => {
    const tokenizer = tokenizerOf('llama3');
    const { config } = chatFamilies.llama3;
    const open = (stop_strings: unknown) =>
      conversationOf(tokenizer, { tokenizerConfig: config, generationConfig: { stop_strings } });
    expect((await open(['<|eom_id|>'])).stopTokens).toContain(tokenizer.id('<|eom_id|>'));
    await expect(open('User:')).rejects.toThrow('stop string "User:"');
  });

  it('a model without a template, or with turns that end in plain text, is refused with a message', async () => {
    await expect(conversationOf(tokenizerOf('qwen2'), {})).rejects.toThrow(/no chat template .* -Instruct/);
    const chat_template =
      "{% for m in messages %}{{ m['role'] + ': ' + m['content'] + '\\n' }}{% endfor %}{% if add_generation_prompt %}{{ 'assistant: ' }}{% endif %}";
    await expect(conversationOf(tokenizerOf('qwen2'), { tokenizerConfig: { chat_template } })).rejects.toThrow(
      /closes a turn with "\\nuser: ", which begins with no token of its own/,
    );
  });
});

describe('replies', () => {
  it('one action: its line with only letters, digits and commas; a second one is refused', () => {
    const action = (text: string) => oneAction(text).action;
    expect(action('Thought:\nhm\n\nAction:\nget 2 oak log')).toBe('get 2 oak log');
    expect(action('Action: craft 1 x using 2 y,  1 z.')).toBe('craft 1 x using 2 y, 1 z');
    expect(action('Action: `get 1 oak log` and so on\nget 3')).toBe('get 1 oak log and so on');
    expect(action('get 2 oak log')).toBe('');
    expect(action('Action:')).toBe('');
    expect(oneAction('Action: a\nAction: b').refusal).toMatch(/^Error: Only one 'Action'/);
  });

  it('last action: everything after the last mark', () => {
    expect(lastAction('Action: look\nAction:\n open door to hall \n</s>').action).toBe('open door to hall');
    expect(lastAction('look around')).toEqual({ action: '' });
  });

  it('each world names its rule; its own instruction asks for it, and finds the action in the oracle’s replies', async () => {
    const conversation = await conversationIn('qwen2');
    const rules: [string, typeof oneAction][] = [
      ['textcraft', oneAction],
      ['babyai', oneAction],
      ['sciworld', lastAction],
    ];
    for (const [world, rule] of rowsHere(rules)) {
      const { reply, instruction } = worldModule(world);
      expect(reply).toBe(rule);
      expect(instruction).toContain('Thought:\nyour thoughts.\n\nAction:\nyour next action');
      expect(reply!(conversation.reply('go to red ball 1')).action).toBe('go to red ball 1');
    }
  });

  it.each(rowsHere([['babyai'], ['maze'], ['textcraft'], ['wordle']]))(
    '%s takes a person’s instruction; an empty one leaves the first observation alone in the prompt',
    async (name) => {
      const conversation = await conversationIn('qwen2');
      const module = worldModule(name);
      const promptUnder = (options: WorldOptions) => {
        const filled = module.options(options) as WorldOptions;
        const { instruction, acknowledgement } = promptRulesOf(module, { options: filled });
        return Array.from(conversation.prompt('Goal', instruction, acknowledgement).tokens);
      };
      expect(promptUnder({})).toEqual(await rendered('qwen2', [module.instruction, acknowledgement, 'Goal']));
      const own = { instruction: 'Go there.' };
      expect(promptUnder(own)).toEqual(await rendered('qwen2', [own.instruction, acknowledgement, 'Goal']));
      expect(promptUnder({ instruction: '' })).toEqual(await rendered('qwen2', ['Goal']));
      expect(() => module.options({ instruction: 'x'.repeat(4001) })).toThrow('4,000 characters');
    },
  );

  const cases: [string, string][] = [
    ['web', 'type [12] [red lamp] [1]'],
    ['search', 'answer Mira Tolson'],
    ['maze', 'move up'],
    ['wordle', 'c r a n e'],
  ];
  it.each(rowsHere(cases))('finds the action in the oracle’s replies of %s', async (world, action) => {
    const { reply, writeReply } = worldModule(world);
    const conversation = await conversationIn('qwen2');
    expect(reply!(conversation.reply(action, writeReply))).toEqual({ action });
  });
});

/** Generates the given replies turn by turn, and stops at its stop tokens. */
class ScriptedPolicy extends FakePolicy {
  readonly read: Int32Array[] = [];
  private turn = 0;

  constructor(
    private readonly tokenizer: Tokenizer,
    private readonly script: readonly { text: string; ending: GeneratedTurn['ending'] }[],
    size = capacity({ promptTokens: 512, completionTokens: 512 }),
  ) {
    super(tokenizer.vocabSize, size);
  }

  override async generate(rows: readonly GenerateRow[], _sampling: Sampling): Promise<GeneratedTurn[]> {
    const { text, ending } = this.script[this.turn++];
    return rows.map(({ append, constraint }) => {
      expect(constraint).toBeNull();
      this.read.push(append);
      const tokens = this.tokenizer.encode(text);
      return { tokens, logprobs: Float32Array.from(tokens, () => -0.5), leaf: -1, ending };
    });
  }
}

/** The door world for a language model: with an instruction and a parser for replies. */
class ChatDoors extends DoorWorld {
  override describe() {
    return { ...super.describe(), instruction, reply: oneAction };
  }
}

/**
 * The same with task options: another instruction with its acknowledgement, and a refusal that returns the last
 * observation.
 */
class RetoldDoors extends ChatDoors {
  override describe() {
    const again = { action: '', refusal: 'Invalid Action.\n\n', again: true as const };
    const under = () => ({
      instruction: 'Open it.',
      acknowledgement: 'Ok.',
      reply: (text: string) => (text.startsWith('{') ? { action: text.slice(1, -1) } : again),
    });
    return { ...super.describe(), under };
  }
}

describe('an episode without a mask', () => {
  async function play(
    script: ConstructorParameters<typeof ScriptedPolicy>[1],
    change: Partial<RolloutRequest> = {},
    world = new ChatDoors(),
  ) {
    const conversation = await conversationIn('qwen2');
    const policy = new ScriptedPolicy(conversation.tokenizer, script);
    const tasks = (await world.tasks({}, 'train')).slice(0, 1);
    const [trajectory] = await rollout(
      { policy, worlds: new Map([['doors', world]]), conversation },
      {
        tasks,
        groupSize: 1,
        limit: script.length,
        temperature: 1,
        maskActions: false,
        maxTokensPerTurn: 32,
        rules: { invalidAction: 'continue' },
        seed: 1,
        stream: 1,
        ...change,
      },
    );
    return { trajectory, policy, world, conversation };
  }

  const script = [
    { text: 'Thought:\nkey first\n\nAction:\nget red key<|im_end|>', ending: 'stop' },
    { text: 'Action: open red door and', ending: 'length' },
    { text: 'Action: wait<|endoftext|>', ending: 'stop' },
    { text: 'Action: open red door\nAction: wait<|im_end|>', ending: 'stop' },
    { text: 'Action: open red door<|im_end|>', ending: 'stop' },
  ] as const;

  it('finds the actions, and continues after replies without one', async () => {
    const { trajectory, world } = await play(script);
    expect(trajectory.turns.map(({ action, valid, reward }) => [action, valid, reward])).toEqual([
      ['get red key', true, 0],
      ['open red door and', false, 0],
      ['wait', true, 0],
      ['', false, 0],
      ['open red door', true, 1],
    ]);
    expect(trajectory.turns[3].observation).toMatch(/^Error: Only one 'Action'/);
    expect(trajectory.turns[0].reply).toBe('Thought:\nkey first\n\nAction:\nget red key');
    expect(trajectory).toMatchObject({ ending: 'success', choices: null });
    // The refused turn never reached the world.
    expect(world.steps).toBe(4);
    expect(decodeTrajectories(encodeTrajectories([trajectory]))).toEqual([trajectory]);
  });

  it('has the instruction and the rule of its task’s options', async () => {
    const retold = [
      { text: 'get red key<|im_end|>', ending: 'stop' },
      { text: '{get red key}<|im_end|>', ending: 'stop' },
      { text: 'open<|im_end|>', ending: 'stop' },
    ] as const;
    const { trajectory, conversation } = await play(retold, {}, new RetoldDoors());
    const prompt = conversation.tokenizer.decode(trajectory.tokens.subarray(0, trajectory.promptLength));
    expect(prompt).toContain('Open it.');
    expect(prompt).toContain('Ok.');
    expect(prompt).not.toContain(acknowledgement);
    const [first, second, third] = trajectory.turns;
    expect(first).toMatchObject({ observation: `Invalid Action.\n\n${trajectory.prompt}`, valid: false });
    expect(second).toMatchObject({ action: 'get red key', valid: true });
    expect(third.observation).toBe(`Invalid Action.\n\n${second.observation}`);
  });

  it('trains on the sampled tokens, stop tokens included, and on nothing that closed a turn', async () => {
    const { trajectory, conversation } = await play(script);
    const { tokens, source, turns, logprob } = trajectory;
    const { tokenizer } = conversation;
    turns.forEach(({ actionStart, actionEnd }, turn) => {
      const ids = tokenizer.encode(script[turn].text);
      expect(tokens.subarray(actionStart, actionStart + ids.length)).toEqual(ids);
      const closing = tokens.subarray(actionStart + ids.length, actionEnd);
      expect(Array.from(closing)).toEqual(turn === 1 || turn === 2 ? [conversation.endOfTurn] : []);
      for (let i = actionStart; i < actionEnd; i++) {
        expect(source[i]).toBe(i < actionStart + ids.length ? TokenSource.policy : TokenSource.template);
      }
    });
    const chosen = new Set(chosenPositions(trajectory));
    tokens.forEach((_, i) => {
      expect(chosen.has(i)).toBe(source[i] === TokenSource.policy);
      expect(logprob[i]).toBe(chosen.has(i) ? -0.5 : 0);
    });
  });

  it('is processed by the policy without a gap: prompt, then the end of the turn and the observation', async () => {
    const { trajectory, policy } = await play(script);
    const { tokens, source, turns, promptLength } = trajectory;
    expect(policy.read[0]).toHaveLength(0);
    turns.slice(0, -1).forEach(({ observationEnd }, turn) => {
      let start = observationEnd;
      while (source[start - 1] !== TokenSource.policy) start--;
      expect(start).toBeGreaterThan(promptLength);
      expect(policy.read[turn + 1]).toEqual(tokens.subarray(start, observationEnd));
    });
  });

  it('ends at a refused reply or a refused action, under that rule', async () => {
    for (const text of ['Action: fly<|im_end|>', 'Action: a\nAction: b<|im_end|>', 'nothing<|im_end|>']) {
      const { trajectory } = await play([{ text, ending: 'stop' }, ...script], { rules: { invalidAction: 'end' } });
      expect(trajectory).toMatchObject({ ending: 'invalid-action', score: 0 });
      expect(trajectory.turns).toHaveLength(1);
    }
  });

  it('ends by its context, without the turn that did not fit', async () => {
    const { trajectory } = await play([script[0], { text: 'Action: op', ending: 'context' }]);
    expect(trajectory.ending).toBe('context');
    expect(trajectory.turns).toHaveLength(1);
    expect(trajectory.tokens).toHaveLength(trajectory.turns[0].observationEnd);
  });
});

describe('a constrained language model', () => {
  it('generates only the action, and ends its turn as the template does', async () => {
    const conversation = await conversationIn('llama3');
    const policy = new FakePolicy(conversation.tokenizer.vocabSize, capacity({ promptTokens: 512 }));
    const world = new ChatDoors();
    const tasks = (await world.tasks({}, 'train')).slice(0, 2);
    const trajectories = await rollout(
      { policy, worlds: new Map([['doors', world]]), conversation },
      {
        tasks,
        groupSize: 4,
        limit: 2,
        temperature: 1,
        maskActions: true,
        maxTokensPerTurn: 4,
        rules: { invalidAction: 'continue' },
        seed: 1,
        stream: 1,
      },
    );
    for (const { turns, tokens } of trajectories) {
      for (const { action, actionStart, actionEnd, reply } of turns) {
        expect(reply).toBeUndefined();
        expect(tokens.subarray(actionStart, actionEnd)).toEqual(conversation.action(action));
      }
    }
  });
});

describe('a tokenizer file', () => {
  it('is read with its configuration', () => {
    const json = bpeTokenizerJson(['<|im_end|>']);
    expect(new Tokenizer(json, chatFamilies.qwen2.config).encode('ok<|im_end|>')).toHaveLength(2);
  });
});
