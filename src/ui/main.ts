/** Entry point of the page: isolates it first if possible (one reload at most), then loads everything else. */
import './kit/styles/tokens.css';
import { showLink, showsOnlyLink } from './app/framed.ts';
import { ensureIsolation, thisPage } from './app/isolation.ts';
import { replaceDeniedStorage } from './app/memory-storage.ts';
import { loadSample } from './control/sample.ts';
import { useLocale, wantedLocale } from './kit/locale.ts';
import { isEmbedded } from './state/embedded-view.ts';
import { parseBoard, parseLink } from './state/link.ts';
import { isNewcomer } from './state/newcomer.ts';

replaceDeniedStorage();
const isolation = await ensureIsolation(thisPage());
document.documentElement.dataset.isolation = isolation;
await useLocale(wantedLocale(parseLink(location.hash).lang, navigator.languages));
if (showsOnlyLink()) showLink();
else if (parseBoard(location.hash)) (await import('./classroom/board.ts')).showBoard(parseBoard(location.hash)!);
else if (isEmbedded()) await import('./app/embedded.ts');
else {
  // The recorded episode arrives beside the code that shows it.
  if (isNewcomer()) void loadSample();
  await import('./app/app.ts');
}
