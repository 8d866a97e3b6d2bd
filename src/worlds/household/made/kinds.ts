/**
 * Kinds of receptacles and objects of made houses: their properties and what can contain what, as in ALFWorld's
 * constants (github.com/alfworld/alfworld, MIT), without kinds that no house here has.
 */
import { objectBits } from '../house.ts';

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

const tableTop =
  words(`alarmclock apple book bowl box bread butterknife candle cd cellphone cloth creditcard cup dishsponge
  egg fork glassbottle handtowel kettle keychain knife ladle laptop lettuce mug newspaper pan pen pencil peppershaker plate
  pot potato remotecontrol saltshaker soapbar soapbottle spatula spoon spraybottle statue tissuebox toiletpaper tomato vase
  watch wateringcan winebottle`);
const seat = words('book box cellphone cloth creditcard keychain laptop newspaper pillow remotecontrol');
const stand = words(`alarmclock book bowl box candle cd cellphone cloth creditcard cup glassbottle keychain laptop mug
  newspaper pen pencil plate remotecontrol spraybottle statue tissuebox toiletpaper vase watch wateringcan winebottle`);

/** Kinds of objects that a kind of receptacle can contain. */
export const contents: { readonly [receptacle: string]: readonly string[] } = {
  armchair: seat,
  bathtubbasin: words('cloth dishsponge handtowel soapbar'),
  bed: words('book cellphone laptop newspaper pillow'),
  cabinet: words(`book bowl box candle cd cloth cup dishsponge glassbottle handtowel kettle ladle mug newspaper pan
    peppershaker plate plunger pot saltshaker soapbar soapbottle spraybottle tissuebox toiletpaper vase wateringcan
    winebottle`),
  cart: words(
    'candle cloth dishsponge handtowel mug plunger soapbar soapbottle spraybottle statue tissuebox toiletpaper vase',
  ),
  coffeemachine: ['mug'],
  coffeetable: tableTop,
  countertop: tableTop,
  desk: [...stand, 'soapbottle'],
  diningtable: tableTop,
  drawer: words(`book butterknife candle cd cellphone cloth creditcard dishsponge fork handtowel keychain knife ladle
    newspaper pen pencil peppershaker remotecontrol saltshaker soapbar soapbottle spatula spoon spraybottle tissuebox
    toiletpaper watch wateringcan`),
  dresser: stand,
  fridge: words('apple bowl bread cup egg glassbottle lettuce mug pan plate pot potato tomato winebottle'),
  garbagecan:
    words(`apple bread cd cloth dishsponge egg handtowel lettuce newspaper pen pencil potato soapbar soapbottle
    spraybottle tissuebox toiletpaper tomato winebottle`),
  handtowelholder: ['handtowel'],
  laundryhamper: ['cloth'],
  microwave: words('apple bowl bread cup egg glassbottle mug plate potato tomato'),
  ottoman: seat,
  safe: words('cd cellphone creditcard keychain statue vase watch'),
  shelf:
    words(`alarmclock book bowl box candle cd cellphone cloth creditcard cup dishsponge glassbottle handtowel kettle
    keychain mug newspaper pen pencil peppershaker plate pot remotecontrol saltshaker soapbar soapbottle spraybottle statue
    tissuebox toiletpaper vase watch wateringcan winebottle`),
  sidetable: tableTop,
  sinkbasin:
    words(`apple bowl butterknife cloth cup dishsponge egg fork glassbottle handtowel kettle knife ladle lettuce mug
    pan plate pot potato soapbar spatula spoon tomato`),
  sofa: seat,
  stoveburner: words('kettle pan pot'),
  toilet: words('candle cloth dishsponge handtowel newspaper soapbar soapbottle spraybottle tissuebox toiletpaper'),
  toiletpaperhanger: ['toiletpaper'],
  tvstand: ['tissuebox'],
};

export const openableKinds: ReadonlySet<string> = new Set(['cabinet', 'drawer', 'fridge', 'microwave', 'safe']);

/** Receptacles of each kind of lamp. A lamp is never carried. */
export const lampPlaces: { readonly [lamp: string]: readonly string[] } = {
  desklamp: ['desk', 'dresser', 'shelf', 'sidetable'],
  floorlamp: ['armchair', 'sofa', 'tvstand'],
};

const kindsWith: readonly (readonly [number, readonly string[]])[] = [
  [
    objectBits.cleanable,
    words(
      'apple bowl butterknife cloth cup dishsponge egg fork kettle knife ladle lettuce mug pan plate pot potato soapbar spatula spoon tomato',
    ),
  ],
  [objectBits.heatable, words('apple bread cup egg mug plate potato tomato')],
  [objectBits.coolable, words('apple bowl bread cup egg lettuce mug pan plate pot potato tomato winebottle')],
  [objectBits.sliceable, words('apple bread egg lettuce potato tomato')],
  [objectBits.isReceptacle, words('bowl box cup mug pan plate pot')],
  [objectBits.knife, words('butterknife knife')],
];

/** Properties of a kind of object: the sum of its `objectBits`. */
export function bitsOfKind(kind: string): number {
  if (kind in lampPlaces) return objectBits.toggleable;
  return kindsWith.reduce(
    (sum, [bit, kinds]) => sum + (kinds.includes(kind) ? bit : 0),
    objectBits.pickupable as number,
  );
}

/** Kinds of objects that a movable receptacle may contain. */
export const smallThings: readonly string[] = words('creditcard keychain pen pencil spoon watch');
