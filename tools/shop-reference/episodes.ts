/** Random episodes for the comparison of pages: actions with our observations in both forms, buttons, reward, ending. */
import type { BroughtShop } from '../../src/corpus/shops/webshop-files.ts';
import { mixSeeds, Random } from '../../src/envs/random.ts';
import { ShopEpisode } from '../../src/worlds/shop/episode.ts';
import { parseShopOptions } from '../../src/worlds/shop/options.ts';
import { openBrought } from '../../src/worlds/shop/own/catalogue.ts';
import { goalsOf } from '../../src/worlds/shop/own/goals.ts';

const mostTurns = 25;

interface RecordedTurn {
  action: string;
  text: string;
  rich: string;
  clickables: string[];
  reward: number;
  done: boolean;
}

function randomAction(random: Random, episode: ShopEpisode, instruction: string): string {
  const { has_search_bar, clickables } = episode.available();
  const kind = random.below(20);
  if (kind === 0)
    return random.pick([
      'search[]',
      'click[nothing]',
      'dance',
      'click[Buy Now] x',
      'Click[next >]',
      'search',
      'click[search]',
    ]);
  const words = instruction.split(/[\s[\]]+/).filter((word) => word);
  if (has_search_bar || kind === 1) return `search[${random.shuffle(words).slice(0, random.between(1, 6)).join(' ')}]`;
  const calm = clickables.filter((text) => text !== 'buy now' || random.chance(20));
  return clickables.length ? `click[${random.pick(calm.length ? calm : clickables)}]` : 'click[back to search]';
}

export async function randomEpisodes(shop: BroughtShop, count: number, seed: number) {
  const random = new Random(mixSeeds(seed, 13));
  const catalogue = await openBrought(shop);
  const found: { [words: string]: string[] } = {};
  const searching = {
    ...catalogue,
    search(words: string, most: number) {
      const products = catalogue.search(words, most);
      found[words] = products.map(({ asin }) => asin);
      return products;
    },
  };
  const both = (['text', 'rich'] as const).map((observation) =>
    parseShopOptions({ upstream: true, observation, shop: 'sample' }),
  );
  const listed = (['human', 'synthetic'] as const).flatMap((goals) =>
    goalsOf(shop, { goals, order: 'princeton', seed }),
  );
  const episodes = Array.from({ length: count }, () => {
    const goal = random.pick(listed);
    const [simple, rich] = both.map((options) => new ShopEpisode(searching, goal, options));
    const first = { text: simple.begin().observation, rich: rich.begin().observation };
    const turns: RecordedTurn[] = [];
    for (let done = false; !done && turns.length < mostTurns; ) {
      const action = randomAction(random, simple, goal.instruction);
      const [answer, other] = [simple.step(action), rich.step(action)];
      done = answer.done;
      const clickables = simple.available().clickables;
      turns.push({
        action,
        text: answer.observation,
        rich: other.observation,
        clickables,
        reward: answer.reward,
        done,
      });
    }
    return { goal, first, turns };
  });
  const orders = Object.fromEntries(
    (['princeton', 'agentgym'] as const).flatMap((order) =>
      (['human', 'synthetic'] as const).map((goals) => [`${order} ${goals}`, goalsOf(shop, { goals, order, seed })]),
    ),
  );
  catalogue.close();
  return { episodes, found, orders };
}
