/** Notes: a list with pinned notes first, a note's text, a new note. */
import { type App, button, field, menu, note, type Phone, row, type Screen } from '../screen.ts';

function save(p: Phone) {
  const [title, text] = [p.draft('Title').trim(), p.draft('Text').trim()];
  if (!title || !text) return p.toast('Title and text are needed');
  p.state.notes[title] = { text, pinned: false };
  p.replace('');
}

const noteMenu = (title: string) => (p: Phone) => {
  const { pinned } = p.state.notes[title];
  p.show(
    menu(`note ${title}`, title, [
      [
        pinned ? 'Unpin' : 'Pin',
        (q) => {
          q.state.notes[title].pinned = !pinned;
        },
      ],
      ['Delete', (q) => void delete q.state.notes[title]],
    ]),
  );
};

function list(p: Phone): Screen {
  const all = Object.entries(p.state.notes).sort(([, a], [, b]) => Number(b.pinned) - Number(a.pinned));
  return {
    title: 'Notes',
    items: all.map(([title, { text, pinned }]) =>
      row(`note ${title}`, title, (q) => q.go(`note/${title}`), {
        detail: text,
        state: pinned ? 'pinned' : undefined,
        hold: noteMenu(title),
      }),
    ),
    bottom: [button('New note', 'New note', (q) => q.go('new'))],
  };
}

export const notes: App = {
  title: 'Notes',
  view(p, place, title) {
    if (place === 'new')
      return {
        title: 'New note',
        items: [field(p, 'Title', 'Title'), field(p, 'Text', 'Text')],
        bottom: [button('Save', 'Save', save)],
      };
    const shown = p.state.notes[title];
    if (place !== 'note' || !shown) return list(p);
    return { title, items: [note('body', shown.text)], bottom: [button('More', 'More', noteMenu(title))] };
  },
};
