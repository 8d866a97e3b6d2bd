/** Conversation with a language model: sends messages, collects the reply, stops it. Draws nothing. */
import { msg } from '@lit/localize';
import type { TrainerApi } from '../../session/protocol.ts';
import type { TalkProgress } from '../../session/talk-protocol.ts';
import type { Store } from '../state/state.ts';
import { talkTarget } from '../state/talk.ts';
import { noTalk, type TalkState } from '../state/talk-state.ts';
import { type Notifier, sentence } from './notifier.ts';

export interface TalkSettings {
  /** True: without the run's adapter. */
  untrained: boolean;
  temperature: number;
  maxTokens: number;
}

export class Talk {
  private seed = 0;
  /** Number of the conversation, which `clear` increases: a reply to an earlier one is dropped. */
  private conversation = 0;

  constructor(
    private readonly store: Store,
    private readonly api: () => TrainerApi,
    private readonly notifier: Notifier,
  ) {}

  private get state(): TalkState {
    return this.store.state.talk;
  }

  private set(patch: Partial<TalkState>) {
    this.store.set({ talk: { ...this.state, ...patch } });
  }

  /** Takes a `talk` event. */
  progress(progress: TalkProgress) {
    if (this.state.busy) this.set({ progress });
  }

  async send(content: string, settings: TalkSettings) {
    if (this.state.busy || !content.trim()) return;
    this.set({ messages: [...this.state.messages, { role: 'user', content: content.trim() }] });
    await this.reply(settings);
  }

  /** Replaces the last reply by another one, or replies to a message that has none yet. */
  async again(settings: TalkSettings) {
    if (this.state.busy) return;
    const { messages } = this.state;
    this.set({ messages: messages.at(-1)?.role === 'assistant' ? messages.slice(0, -1) : messages });
    await this.reply(settings);
  }

  private async reply(settings: TalkSettings) {
    const target = talkTarget(this.store.state);
    if (!target) return;
    const { conversation } = this;
    const { policy, name } = target;
    const messages = this.state.messages.map(({ role, content }) => ({ role, content }));
    this.set({ busy: true, problem: '', progress: null });
    try {
      const reply = await this.api().talk({ policy, ...settings, messages, seed: this.seed++ });
      if (conversation !== this.conversation) return;
      const said = { role: 'assistant', content: reply.text, from: { name, reply } } as const;
      this.set({ busy: false, progress: null, messages: [...this.state.messages, said] });
      this.notifier.announce(msg('The reply is complete.'));
    } catch (error) {
      if (conversation === this.conversation) this.set({ busy: false, progress: null, problem: sentence(error) });
    }
  }

  async stop() {
    await this.api()
      .stopTalking()
      .catch((error) => this.notifier.notifyOf(error));
  }

  async clear() {
    this.conversation++;
    const { busy } = this.state;
    this.store.set({ talk: noTalk });
    if (busy) await this.stop();
  }
}
