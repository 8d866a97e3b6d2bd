/** Music: songs, playlists, likes, and the song that plays. */
import { type App, button, menu, note, type Phone, row, type Screen } from '../screen.ts';

const addMenu = (song: string) => (p: Phone) =>
  p.show(
    menu(
      `add ${song}`,
      'Add to a playlist',
      Object.keys(p.state.music.playlists).map((name) => [
        name,
        (q: Phone) => {
          q.state.music.playlists[name][song] = true;
        },
      ]),
    ),
  );

const songRow = (p: Phone, name: string, artist: string) =>
  row(`song ${name}`, name, (q) => q.go(`song/${name}`), {
    detail: artist,
    state:
      [p.state.music.playing === name && 'playing', name in p.state.music.liked && 'liked'].filter(Boolean).join(' ') ||
      undefined,
    hold: addMenu(name),
  });

function song(p: Phone, name: string, artist: string): Screen {
  const { playing, liked } = p.state.music;
  return {
    title: name,
    items: [
      note('artist', artist),
      button('Play', playing === name ? 'Stop' : 'Play', (q) => {
        q.state.music.playing = playing === name ? '' : name;
      }),
      button('Like', name in liked ? 'Unlike' : 'Like', (q) => {
        if (name in liked) delete q.state.music.liked[name];
        else q.state.music.liked[name] = true;
      }),
      button('Add', 'Add to playlist', addMenu(name)),
    ],
  };
}

export const music: App = {
  title: 'Music',
  view(p, place, argument) {
    const found = p.data.songs.find(({ name }) => name === argument);
    if (place === 'song' && found) return song(p, found.name, found.artist);
    const { playlists } = p.state.music;
    if (place === 'playlists')
      return {
        title: 'Playlists',
        items: Object.keys(playlists).map((name) =>
          row(`playlist ${name}`, name, (q) => q.go(`playlist/${name}`), {
            detail: `${Object.keys(playlists[name]).length} songs`,
          }),
        ),
      };
    if (place === 'playlist' && argument in playlists) {
      const songs = p.data.songs.filter(({ name }) => name in playlists[argument]);
      return {
        title: argument,
        items: songs.length ? songs.map(({ name, artist }) => songRow(p, name, artist)) : [note('empty', 'No songs')],
      };
    }
    return {
      title: 'Music',
      items: p.data.songs.map(({ name, artist }) => songRow(p, name, artist)),
      bottom: [button('Playlists', 'Playlists', (q) => q.go('playlists'))],
    };
  },
};
