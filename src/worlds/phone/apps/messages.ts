/** Messages: conversations, pinned ones first; a new message; mute, pin and delete by a long press. */
import { type App, button, field, menu, note, type Phone, row, type Screen } from '../screen.ts';

const send = (who: string) => (p: Phone) => {
  const text = p.draft('Message').trim();
  if (!text) return p.toast('The message is empty');
  const thread = p.state.messages[who] ?? { log: [], muted: false, pinned: false };
  thread.log.push(`me: ${text}`);
  p.state.messages[who] = thread;
  p.clearDrafts();
  if (p.place() !== `thread/${who}`) p.replace(`thread/${who}`);
};

const threadMenu = (who: string) => (p: Phone) => {
  const thread = p.state.messages[who];
  p.show(
    menu(`thread ${who}`, who, [
      [
        thread.muted ? 'Unmute' : 'Mute',
        (q) => {
          q.state.messages[who].muted = !thread.muted;
        },
      ],
      [
        thread.pinned ? 'Unpin' : 'Pin',
        (q) => {
          q.state.messages[who].pinned = !thread.pinned;
        },
      ],
      ['Delete', (q) => void delete q.state.messages[who]],
    ]),
  );
};

function list(p: Phone): Screen {
  const threads = Object.entries(p.state.messages).sort(([, a], [, b]) => Number(b.pinned) - Number(a.pinned));
  return {
    title: 'Messages',
    items: threads.map(([who, { log, muted, pinned }]) =>
      row(`thread ${who}`, who, (q) => q.go(`thread/${who}`), {
        detail: log.at(-1) ?? '',
        state: [pinned && 'pinned', muted && 'muted'].filter(Boolean).join(' ') || undefined,
        hold: threadMenu(who),
      }),
    ),
    bottom: [button('New message', 'New message', (q) => q.go('new'))],
  };
}

function thread(p: Phone, who: string): Screen {
  const { log } = p.state.messages[who] ?? { log: [] };
  return {
    title: who,
    items: log.map((text, k) => ({
      kind: 'bubble',
      key: `message ${k}`,
      text: text.replace(/^\w+: /, ''),
      state: text.startsWith('me') ? 'sent' : 'received',
    })),
    bottom: [field(p, 'Message', 'Message', send(who)), button('Send', 'Send', send(who))],
  };
}

export const messages: App = {
  title: 'Messages',
  view(p, place, who) {
    if (place === 'thread') return thread(p, who);
    if (place !== 'new') return list(p);
    return {
      title: 'New message',
      items: [
        note('hint', 'Choose a contact'),
        ...p.data.people.map((name) => row(`contact ${name}`, name, (q) => q.replace(`thread/${name}`))),
      ],
    };
  },
};
