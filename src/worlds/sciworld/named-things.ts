/** What things are called in ScienceWorld, by kind: names that may stand for each other, and that a policy may read as one token. */

const lettered = (name: string) => [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'].map((letter) => `${name} ${letter}`);

/** What is measured, may conduct, is mixed or comes of it. Water, wood, paints and paper keep their names: plans and other names are made of them. */
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

/** Nothing in a name says what these are. */
const unknowns = lettered('unknown substance');

/** Whether they are solid or liquid says much of where they melt: the name keeps it. */
const solids = lettered('solid unknown substance');
const liquids = lettered('liquid unknown substance');

/** Animals by how long they live, as far as tasks ask. */
export const longLived: readonly string[] = ['giant tortoise', 'parrot', 'elephant', 'crocodile', 'brown bear'];
export const shortLived: readonly string[] = ['hedgehog', 'mouse', 'chameleon', 'dragonfly', 'ant'];
export const otherAnimals: readonly string[] = [
  ...['butterfly', 'moth', 'frog', 'common toad', 'turtle', 'dove', 'blue jay', 'beaver', 'wolf'],
];

const animals = [longLived, shortLived, otherAnimals];
/** Each exchanges names within itself. */
export const kindsOfThings: readonly (readonly string[])[] = [
  [...things, ...unknowns, ...solids, ...liquids],
  ...animals,
];
/** The same, solids and liquids apart, and what is known, which melts to "liquid chocolate". */
export const kindsByState: readonly (readonly string[])[] = [things, unknowns, solids, liquids, ...animals];
/** Everything that may go by another name; places and boxes apart. */
export const namedThings: readonly string[] = kindsOfThings.flat();

/** A task says into which one a thing goes. */
export const boxes: readonly string[] = ['red box', 'green box', 'blue box', 'orange box', 'yellow box', 'purple box'];
/** Off the hallway, and leading nowhere else: the map is the same whichever is called what. */
export const sideRooms: readonly string[] = ['living room', 'bedroom', 'art studio', 'workshop'];
