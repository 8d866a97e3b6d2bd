/**
 * Names of things in ScienceWorld, by kind. Names of a kind can be exchanged, and a policy may read a name as one
 * token.
 */

const lettered = (name: string) => [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'].map((letter) => `${name} ${letter}`);

/**
 * Things to measure, test for conductivity or mix, and the products of mixing. Water, wood, paints and paper are
 * absent: plans and other names contain their names.
 */
const things: readonly string[] = [
  ...[
    'sodium chloride',
    'chocolate',
    'lead',
    'gallium',
    'mercury',
    'tin',
    'orange juice',
    'metal fork',
    'plastic fork',
  ],
  ...['aluminum foil', 'apricot', 'glass jar', 'metal pot', 'paper clip', 'shovel', 'wood block', 'iron block'],
  ...['soap', 'peanut', 'almond', 'cashew', 'acetic acid', 'sodium bicarbonate', 'banana', 'bread', 'jam'],
  ...['marshmallow', 'flour', 'sugar', 'salt water', 'soapy water', 'sugar water', 'mixed nuts', 'sodium acetate'],
  ...['banana sandwich', 'peanut butter sandwich', 'peanut butter with jam sandwich', 'jam sandwich'],
  ...['peanut butter with banana sandwich', 'smores', 'dough', 'fruit salad', 'rust'],
];

/** These names carry no information about the substance. */
const unknowns = lettered('unknown substance');

/** These names contain the state, solid or liquid, which is a strong hint about the melting point. */
const solids = lettered('solid unknown substance');
const liquids = lettered('liquid unknown substance');

/** Animals by lifespan, as far as tasks compare it. */
export const longLived: readonly string[] = ['giant tortoise', 'parrot', 'elephant', 'crocodile', 'brown bear'];
export const shortLived: readonly string[] = ['hedgehog', 'mouse', 'chameleon', 'dragonfly', 'ant'];
export const otherAnimals: readonly string[] = [
  ...['butterfly', 'moth', 'frog', 'common toad', 'turtle', 'dove', 'blue jay', 'beaver', 'wolf'],
];

const animals = [longLived, shortLived, otherAnimals];
/** Groups of names; names are exchanged within a group. */
export const kindsOfThings: readonly (readonly string[])[] = [
  [...things, ...unknowns, ...solids, ...liquids],
  ...animals,
];
/**
 * The same with separate groups for known, unknown, solid and liquid substances: a known substance is called "liquid
 * chocolate" once it melts.
 */
export const kindsByState: readonly (readonly string[])[] = [things, unknowns, solids, liquids, ...animals];
/** All names that can be exchanged, without rooms and boxes. */
export const namedThings: readonly string[] = kindsOfThings.flat();

/** Boxes; the task's description names the box for each result. */
export const boxes: readonly string[] = ['red box', 'green box', 'blue box', 'orange box', 'yellow box', 'purple box'];
/** Rooms whose only door leads to the hallway: exchanging their names leaves the map unchanged. */
export const sideRooms: readonly string[] = ['living room', 'bedroom', 'art studio', 'workshop'];
