/** Settings: switches and sliders by section, and the notifications of each app. */
import { type App, type Item, row, toggle } from '../screen.ts';
import { appNames, levels, type Section, sections, switches } from '../state.ts';

const titles: { readonly [section in Section]: string } = {
  network: 'Network',
  display: 'Display',
  sound: 'Sound',
  battery: 'Battery',
};

export const settings: App = {
  title: 'Settings',
  view(p, place, argument) {
    if (place === 'section') {
      const section = argument as Section;
      const level = section in levels ? levels[section as keyof typeof levels] : null;
      const slider: Item[] = level
        ? [
            {
              kind: 'slider',
              key: level,
              text: level,
              state: String(p.state.levels[level]),
              set: (q, value) => {
                q.state.levels[level] = value;
              },
            },
          ]
        : [];
      return {
        title: titles[section],
        items: [
          ...switches[section].map((name) =>
            toggle(name, name, p.state.switches[name], (q) => {
              q.state.switches[name] = !q.state.switches[name];
            }),
          ),
          ...slider,
        ],
      };
    }
    if (place === 'notifications')
      return {
        title: 'Notifications',
        items: appNames.map((name) =>
          toggle(`notify ${name}`, name[0].toUpperCase() + name.slice(1), p.state.notifications[name], (q) => {
            q.state.notifications[name] = !q.state.notifications[name];
          }),
        ),
      };
    return {
      title: 'Settings',
      items: [
        ...sections.map((section) => row(section, titles[section], (q) => q.go(`section/${section}`))),
        row('notifications', 'Notifications', (q) => q.go('notifications')),
      ],
    };
  },
};
