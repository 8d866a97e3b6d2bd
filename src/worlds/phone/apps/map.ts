/** Map: places as pins, saved places, and routes, which need the permission to use the location. */
import { type App, button, chips, heading, note, type Phone, question, row } from '../screen.ts';
import { modes } from '../state.ts';

function start(p: Phone, name: string) {
  const mode = p.draft('mode');
  if (!mode) return p.toast('Choose how to go');
  const begin = (q: Phone) => {
    q.state.map.route = `${name} by ${mode}`;
  };
  if (p.state.device.permissions.map === 'granted') return begin(p);
  const allow = (q: Phone) => {
    q.state.device.permissions.map = 'granted';
    begin(q);
  };
  p.show(question('location', 'Location', 'Allow Map to use the location?', 'Allow', 'Deny', allow));
}

export const map: App = {
  title: 'Map',
  view(p, place, name) {
    const found = p.data.places.find((each) => each.name === name);
    if (place === 'place' && found) {
      const saved = name in p.state.map.saved;
      const keep = button('Save', saved ? 'Remove' : 'Save', (q) => {
        if (saved) delete q.state.map.saved[name];
        else q.state.map.saved[name] = true;
      });
      return {
        title: name,
        items: [
          note('kind', found.kind, saved ? 'saved' : undefined),
          keep,
          heading('Go by'),
          ...chips(p, 'mode', modes),
        ],
        bottom: [button('Start', 'Start', (q) => start(q, name))],
      };
    }
    if (place === 'list')
      return {
        title: 'Places',
        items: p.data.places.map((each) => row(`place ${each.name}`, each.name, (q) => q.go(`place/${each.name}`))),
      };
    const { route } = p.state.map;
    return {
      title: 'Map',
      items: [
        ...p.data.places.map((each) => ({
          kind: 'pin' as const,
          key: `pin ${each.name}`,
          text: each.name,
          cell: each.cell,
          tap: (q: Phone) => q.go(`place/${each.name}`),
        })),
        ...(route ? [note('route', `On the way: ${route}`)] : []),
      ],
      bottom: [button('List', 'List', (q) => q.go('list'))],
    };
  },
};
