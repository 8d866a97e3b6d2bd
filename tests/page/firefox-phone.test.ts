// The phone's frame in Firefox: its own layout gives every element the box that the world computes.
import { expect, it } from 'vitest';
import { openFirefox } from '../../tools/firefox.ts';
import { oracleScreens, serveScreens, worstGap } from './phone-boxes.ts';

it('gives every element the world’s box', async () => {
  const screens = await oracleScreens(2);
  const site = await serveScreens(screens);
  const reported = site.boxes();
  const close = openFirefox(`${site.url}?width=360`);
  try {
    const drawn = await reported;
    const gaps = screens.map((screen, k) => worstGap(screen, drawn[k]));
    expect(screens.length).toBeGreaterThan(300);
    expect(gaps.filter(({ gap }) => gap > 1)).toEqual([]);
  } finally {
    await close();
    await site.close();
  }
}, 180_000);
