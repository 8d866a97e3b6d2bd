/**
 * Tiles of items, drawn by code: a shape for the kind of thing and a colour for its material, both read from the
 * words of the item's name. Every tile stands beside its name, so that nothing depends on shape or colour alone.
 */
import { type SVGTemplateResult, svg } from 'lit';

/** Colours of materials, by a word of the name. The first that occurs applies. */
const materials: { readonly [word: string]: string } = {
  'dark oak': '#5b3d20',
  oak: '#b8945f',
  spruce: '#7d5b35',
  birch: '#d8c894',
  jungle: '#b0805b',
  acacia: '#bb6537',
  crimson: '#8c3b57',
  warped: '#358a87',
  mangrove: '#773934',
  bamboo: '#7fae4a',
  'red sandstone': '#b5642a',
  sandstone: '#d9cb93',
  'red nether': '#58161b',
  nether: '#5a2a2f',
  blackstone: '#3b3640',
  deepslate: '#54545a',
  cobblestone: '#8b8d90',
  granite: '#a4715c',
  diorite: '#c6c6c8',
  andesite: '#898d8b',
  stone: '#96989b',
  brick: '#a05a47',
  quartz: '#e9e2d8',
  prismarine: '#5fa294',
  purpur: '#a97caa',
  'end ': '#dbdfa0',
  iron: '#cfd3d8',
  gold: '#f0c548',
  golden: '#f0c548',
  diamond: '#5fd3ce',
  netherite: '#4b4248',
  copper: '#c5704d',
  emerald: '#35b96c',
  lapis: '#2f55ad',
  redstone: '#b62a20',
  coal: '#33363b',
  leather: '#a3673f',
  glowstone: '#e8c170',
  slime: '#7cc466',
  honey: '#e59a2d',
  white: '#eceeef',
  'light gray': '#a3a5a2',
  'light blue': '#55b3dc',
  gray: '#565c60',
  black: '#2a2c31',
  brown: '#7a5030',
  red: '#b33028',
  orange: '#e98122',
  yellow: '#f3cf42',
  lime: '#7fc329',
  green: '#5f7d29',
  cyan: '#269ba0',
  blue: '#3b46a8',
  purple: '#8138b2',
  magenta: '#c253bc',
  pink: '#eb93b3',
};

const shade = 'rgb(0 0 0 / 22%)';
const light = 'rgb(255 255 255 / 30%)';

/** Outline in one colour. `more`: details over it, in the colours of shade and light. */
const one = (d: string, fill: string, more: SVGTemplateResult | null = null) =>
  svg`<path d=${d} fill=${fill} stroke="#16181b" stroke-width="1.6" stroke-linejoin="round" stroke-linecap="round" />${more}`;
const line = (d: string, width = 1.6) =>
  svg`<path d=${d} fill="none" stroke="#16181b" stroke-width=${width} stroke-linejoin="round" stroke-linecap="round" />`;
const tone = (d: string, fill: string) => svg`<path d=${d} fill=${fill} />`;

type Draw = (fill: string) => SVGTemplateResult;

const cube: Draw = (fill) =>
  one(
    'M24 5L42 14V34L24 43L6 34V14Z',
    fill,
    svg`${tone('M24 5L42 14L24 23L6 14Z', light)}${tone('M24 23L42 14V34L24 43Z', shade)}${line('M6 14L24 23L42 14M24 23V43')}`,
  );

/** A handle, and the head of a tool on its upper end. */
const tool =
  (head: string): Draw =>
  (fill) =>
    svg`${line('M10 40L31 17', 6)}<path d="M10 40L31 17" stroke="#9c7243" stroke-width="3.2" stroke-linecap="round" />${one(head, fill)}`;

/** Shapes by the words that name them. The first whose words occur applies; anything else is a round thing. */
const shapes: readonly (readonly [words: RegExp, draw: Draw])[] = [
  [/\b(planks)\b/, (c) => one('M6 10H42V18H6ZM6 20H42V28H6ZM6 30H42V38H6Z', c, line('M18 10V18M31 20V28M14 30V38'))],
  [
    /\b(log|logs|wood|stem|stems|hyphae)\b/,
    (c) =>
      one(
        'M12 12V38C12 44 36 44 36 38V12',
        c,
        svg`<ellipse cx="24" cy="12" rx="12" ry="6" fill="#e5cd9d" stroke="#16181b" stroke-width="1.6" /><ellipse cx="24" cy="12" rx="6" ry="3" fill="none" stroke="#16181b" />${line('M18 24V34M27 22V38')}`,
      ),
  ],
  [
    /\bstick|\brod\b/,
    (c) => svg`${line('M12 38L36 10', 8)}<path d="M12 38L36 10" stroke=${c} stroke-width="5" stroke-linecap="round" />`,
  ],
  [
    /\bslab\b/,
    (c) =>
      one(
        'M24 17L42 26V34L24 43L6 34V26Z',
        c,
        svg`${tone('M24 17L42 26L24 35L6 26Z', light)}${line('M6 26L24 35L42 26M24 35V43')}`,
      ),
  ],
  [/\bstairs\b/, (c) => one('M6 40V28H18V18H30V8H42V40Z', c, tone('M6 28H18V18H30V8H42V12H34V22H22V32H6Z', light))],
  [/\btrapdoor\b/, (c) => one('M7 16H41V32H7Z', c, line('M14 16V32M24 16V32M34 16V32'))],
  [
    /\bdoor\b/,
    (c) =>
      one(
        'M13 5H35V43H13Z',
        c,
        svg`${line('M17 9H31V19H17Z')}${line('M17 24H31V38H17Z')}<circle cx="31" cy="30" r="1.8" />`,
      ),
  ],
  [/\b(fence|wall|bars)\b/, (c) => one('M9 8H16V42H9ZM32 8H39V42H32ZM16 15H32V21H16ZM16 28H32V34H16Z', c)],
  [
    /\blever\b/,
    (c) =>
      svg`${line('M22 32L36 9', 7)}<path d="M22 32L36 9" stroke="#9c7243" stroke-width="4" stroke-linecap="round" />${one('M10 30H38V42H10Z', c === colorOf('lever') ? '#96989b' : c)}`,
  ],
  [/\bbutton\b/, (c) => one('M15 19H33V29H15Z', c)],
  [/\b(pressure plate|carpet)\b/, (c) => one('M24 22L43 31L24 40L5 31Z', c, tone('M24 22L43 31L24 34L5 31Z', light))],
  [/\bsign\b/, (c) => one('M7 8H41V28H7ZM22 28H26V43H22Z', c, line('M13 15H35M13 21H29'))],
  [/\b(boat|minecart)\b/, (c) => one('M5 20H43L37 36H11Z', c, tone('M5 20H43L42 24H6Z', light))],
  [
    /\b(bed)\b/,
    (c) =>
      one(
        'M5 18H43V32H5Z',
        c,
        svg`<rect x="7" y="20" width="10" height="10" fill="#fff" stroke="#16181b" />${line('M8 32V38M40 32V38')}`,
      ),
  ],
  [/\bbanner\b/, (c) => one('M13 6H35V36L24 42L13 36Z', c)],
  [/\b(glass|pane)\b/, () => one('M8 8H40V40H8Z', 'rgb(190 225 240 / 70%)', line('M13 25L25 13M16 33L33 16'))],
  [/\bingot\b/, (c) => one('M5 33L14 18H36L43 33L38 37H9Z', c, tone('M14 18H36L38 22H12Z', light))],
  [/\bnugget\b/, (c) => one('M17 32L15 24L23 18L32 23L31 32L23 35Z', c)],
  [
    /\b(dust|powder|sugar|gunpowder)\b/,
    (c) =>
      one(
        'M5 38C10 28 17 20 24 17C31 20 38 28 43 38Z',
        c,
        tone('M24 17C28 24 20 28 26 38H43C38 28 31 20 24 17Z', shade),
      ),
  ],
  [/\b(sword)\b/, (c) => svg`${one('M40 5L43 8L22 31L17 26Z', c)}${line('M14 24L25 34', 5)}${line('M17 32L8 41', 5)}`],
  [/\bpickaxe\b/, tool('M14 9C26 4 39 12 43 30L37 26C33 18 26 14 14 15Z')],
  [/\b(axe)\b/, tool('M22 9L34 5L42 20L33 26L25 18Z')],
  [/\bshovel\b/, tool('M28 13C31 5 42 4 44 6C46 9 42 19 34 20Z')],
  [/\bhoe\b/, tool('M20 8L36 6L42 12L38 22L34 15L22 14Z')],
  [/\bhelmet\b/, (c) => one('M9 34V20C9 6 39 6 39 20V34H31V25H17V34Z', c)],
  [/\b(chestplate|tunic)\b/, (c) => one('M8 10L17 7C19 13 29 13 31 7L40 10V22H34V41H14V22H8Z', c)],
  [/\b(leggings|pants)\b/, (c) => one('M11 7H37V41H28L24 20L20 41H11Z', c)],
  [/\bboots\b/, (c) => one('M8 10H20V30H22V40H4V32L8 28ZM28 10H40V28L44 32V40H26V30H28Z', c)],
  [
    /\b(arrow|spectral)\b/,
    (c) => svg`${line('M8 40L36 12', 3)}${one('M30 8L41 7L40 18Z', c)}${line('M8 40L6 33M8 40L15 42')}`,
  ],
  [
    /\b(bow|crossbow|fishing)\b/,
    (c) =>
      svg`<path d="M12 8C40 10 38 38 40 40" fill="none" stroke=${c} stroke-width="5" stroke-linecap="round" />${line('M12 8L40 40')}`,
  ],
  [
    /\b(paper|map|book|painting|banner pattern)\b/,
    () => one('M11 6H37V42H11Z', '#efe6cf', line('M16 14H32M16 21H32M16 28H27')),
  ],
  [
    /\b(bucket|cauldron)\b/,
    (c) =>
      one(
        'M9 14H39L34 42H14Z',
        c,
        svg`<ellipse cx="24" cy="14" rx="15" ry="5" fill="#5a6068" stroke="#16181b" stroke-width="1.6" />`,
      ),
  ],
  [
    /\b(bottle|potion)\b/,
    (c) =>
      one(
        'M20 6H28V17C39 22 38 42 24 42C10 42 9 22 20 17Z',
        'rgb(200 228 240 / 75%)',
        tone('M13 30C14 39 20 41 24 41C28 41 34 39 35 30Z', c),
      ),
  ],
  [
    /\b(bowl|stew|soup)\b/,
    (c) => one('M5 22H43C42 36 34 41 24 41C14 41 6 36 5 22Z', '#8a6238', tone('M9 22H39C36 27 12 27 9 22Z', c)),
  ],
  [
    /\b(bread|cookie|pie|cake|melon slice)\b/,
    (c) => one('M5 30C6 15 42 12 43 26C43 36 8 40 5 30Z', c, line('M14 20L18 26M23 17L27 24M32 17L36 23')),
  ],
  [
    /\b(wheat|bamboo|cane|kelp|vine|vines)\b/,
    (c) =>
      svg`${line('M24 43V10M15 43V18M33 43V18', 3)}${one('M24 4L29 14L24 20L19 14Z', c)}${one('M15 12L19 20L15 26L11 20Z', c)}${one('M33 12L37 20L33 26L29 20Z', c)}`,
  ],
  [
    /\b(flower|tulip|poppy|dandelion|orchid|allium|bluet|daisy|cornflower|lily|rose|lilac|peony|sunflower)\b/,
    (c) =>
      svg`${line('M24 43V22', 3)}${one('M24 22C14 26 10 16 17 13C17 4 31 4 31 13C38 16 34 26 24 22Z', c)}<circle cx="24" cy="15" r="3.4" fill="#f3cf42" stroke="#16181b" />`,
  ],
  [
    /\b(dye)\b/,
    (c) =>
      one(
        'M24 5C32 17 37 24 37 31C37 46 11 46 11 31C11 24 16 17 24 5Z',
        c,
        tone('M17 30C17 36 20 38 23 38V41C17 41 14 37 14 31Z', light),
      ),
  ],
  [
    /\b(string|lead|rail)\b/,
    () =>
      svg`<path d="M8 36C20 6 28 46 40 12" fill="none" stroke="#16181b" stroke-width="6" stroke-linecap="round" /><path d="M8 36C20 6 28 46 40 12" fill="none" stroke="#eceeef" stroke-width="3" stroke-linecap="round" />`,
  ],
  [
    /\b(torch|candle|lantern|campfire)\b/,
    (c) => svg`${one('M20 20H28V42H20Z', c)}${one('M24 4C31 12 30 19 24 20C18 19 17 12 24 4Z', '#f6b73c')}`,
  ],
  [
    /\b(diamond|emerald|amethyst|lapis lazuli|quartz|gem|pearl|eye|star|crystals?)\b(?! (block|sword|axe|pickaxe|shovel|hoe))/,
    (c) =>
      one(
        'M13 9H35L44 21L24 43L4 21Z',
        c,
        svg`${tone('M13 9H24L17 21H4Z', light)}${line('M4 21H44M17 21L24 43L31 21L24 9Z', 1)}`,
      ),
  ],
  [
    /\b(wool)\b/,
    (c) => one('M8 16C8 6 20 6 22 10C28 4 42 8 40 20C46 26 40 40 30 38C24 44 10 42 9 34C2 30 4 20 8 16Z', c),
  ],
  [
    /\b(chest|barrel|box|furnace|smoker|table|dispenser|dropper|observer|bookshelf|jukebox|note block|composter|loom|beehive|anvil|piston|lodestone|tnt)\b/,
    (c) =>
      one(
        'M6 11H42V41H6Z',
        c,
        svg`${tone('M6 11H42V20H6Z', light)}${line('M6 20H42')}<rect x="20" y="17" width="8" height="8" fill="#e3e6ea" stroke="#16181b" stroke-width="1.4" />`,
      ),
  ],
  [
    /\b(block|bricks?|stone|cobblestone|granite|diorite|andesite|sandstone|concrete|terracotta|ore|obsidian|dirt|sand|gravel|clay|deepslate|blackstone|basalt|prismarine|quartz|purpur|netherrack|pillar|lamp|tiles|pumpkin|melon|hay|ice|snow)\b/,
    cube,
  ],
];

const ball: Draw = (fill) =>
  svg`<circle cx="24" cy="24" r="16" fill=${fill} stroke="#16181b" stroke-width="1.6" /><path d="M14 19C16 13 22 11 26 12" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round" opacity="0.6" />`;

/** Colour of a name without a known material: a hue from its letters. */
function otherColor(name: string): string {
  let hash = 0;
  for (const character of name) hash = (hash * 31 + character.charCodeAt(0)) % 360;
  return `hsl(${hash} 42% 58%)`;
}

/** Colour of an item's material. */
export const colorOf = (name: string): string => {
  const found = Object.keys(materials).find((word) => ` ${name} `.includes(` ${word.trimEnd()} `));
  return found ? materials[found] : otherColor(name);
};

/** Index of an item's shape; -1 for the round thing. */
export const shapeOf = (name: string): number => shapes.findIndex(([words]) => words.test(name));

/** Drawing of an item in a square of 48 by 48, without text. */
export function itemTile(name: string): SVGTemplateResult {
  const draw = shapes[shapeOf(name)]?.[1] ?? ball;
  return draw(colorOf(name));
}
