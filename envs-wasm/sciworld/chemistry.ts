/** Mixing: the products of two, three or four things in one container. */
import { HIDDEN, NIL, Obj, has, isNil } from './object';
import { add, remove } from './containment';
import { at } from './arena';
import { make } from './construction';
import { SUBSTANCE, material, unknownSubstance } from './tables';
import { put } from './text';
import { putName } from './names';
import { visibleCount } from './search';
import * as I from './tables/ids';

const ANY: i32 = -1;

/** Finds the ingredient of this name: by raw name (and by state, unless it is ANY), or by substance and state. */
function find(box: Obj, name: i32, state: i32): Obj {
  for (let c = at(box.first); !isNil(c); c = at(c.next)) {
    if (has(c, HIDDEN)) continue;
    if (c.name == name && (state == ANY || (c.mat != 0 && c.state == state))) return c;
    if (state == ANY || c.mat == 0 || c.state != state) continue;
    const substance = c.letter != 0 ? unknownSubstance(c.letter) : <i32>load<u16>(material(c.mat) + SUBSTANCE);
    if (substance == name) return c;
  }
  return NIL;
}

function product(box: Obj, cls: i32): Obj {
  const o = make(cls);
  add(box, o);
  return o;
}

/** Removes the two ingredients if both are present. */
function take2(box: Obj, a: i32, stateA: i32, b: i32, stateB: i32): bool {
  const x = find(box, a, stateA);
  const y = find(box, b, stateB);
  if (isNil(x) || isNil(y)) return false;
  remove(x, false);
  remove(y, false);
  return true;
}

function take3(box: Obj, a: i32, b: i32, c: i32): bool {
  const x = find(box, a, ANY);
  const y = find(box, b, ANY);
  const z = find(box, c, ANY);
  if (isNil(x) || isNil(y) || isNil(z)) return false;
  remove(x, false);
  remove(y, false);
  remove(z, false);
  return true;
}

function makes(box: Obj, cls: i32, text: string): bool {
  product(box, cls);
  put(text);
  return true;
}

function water(box: Obj, other: i32, state: i32): bool {
  return take2(box, I.S_water, 1, other, state);
}

function paint(box: Obj, a: i32, b: i32): bool {
  return take2(box, a, 1, b, 1);
}

function sandwich(box: Obj, name: i32, text: string): bool {
  product(box, I.C_Sandwich).name = name;
  put(text);
  return true;
}

const paperPaints: StaticArray<i32> = [I.S_red_paint, I.S_green_paint, I.S_blue_paint, I.S_orange_paint, I.S_yellow_paint, I.S_violet_paint];
const papers: StaticArray<i32> = [I.S_red_paper, I.S_green_paper, I.S_blue_paper, I.S_orange_paper, I.S_yellow_paper, I.S_violet_paper];
const colours: StaticArray<string> = ['red', 'green', 'blue', 'orange', 'yellow', 'violet'];

function colouredPaper(box: Obj): bool {
  for (let i = 0; i < 6; i++) {
    if (!take2(box, I.S_paper, ANY, paperPaints[i], 1)) continue;
    product(box, I.C_ColoredPaper).name = papers[i];
    put('Paper and blue paint mix to produce ');
    put(colours[i]);
    put(' paper.');
    return true;
  }
  return false;
}

function paints(box: Obj): bool {
  if (paint(box, I.S_red_paint, I.S_blue_paint)) return makes(box, I.C_VioletPaint, 'Red and blue paint mix to produce violet paint.');
  if (paint(box, I.S_blue_paint, I.S_yellow_paint)) return makes(box, I.C_GreenPaint, 'Blue and yellow paint mix to produce green paint.');
  if (paint(box, I.S_yellow_paint, I.S_red_paint)) return makes(box, I.C_OrangePaint, 'Yellow and red paint mix to produce orange paint.');
  if (paint(box, I.S_yellow_paint, I.S_orange_paint))
    return makes(box, I.C_YellowOrangePaint, 'Yellow and orange paint mix to produce yellow-orange paint.');
  if (paint(box, I.S_orange_paint, I.S_red_paint)) return makes(box, I.C_RedOrangePaint, 'Red and orange paint mix to produce red-orange paint.');
  if (paint(box, I.S_red_paint, I.S_violet_paint)) return makes(box, I.C_VioletRedPaint, 'Violet and red paint mix to produce violet-red paint.');
  if (paint(box, I.S_violet_paint, I.S_blue_paint)) return makes(box, I.C_BlueVioletPaint, 'Blue and violet paint mix to produce blue-violet paint.');
  if (paint(box, I.S_blue_paint, I.S_green_paint)) return makes(box, I.C_GreenBluePaint, 'Blue and green paint mix to produce blue green paint.');
  if (paint(box, I.S_green_paint, I.S_yellow_paint))
    return makes(box, I.C_YellowGreenPaint, 'Green and yellow paint mix to produce yellow-green paint.');
  return brown(box, 2);
}

const known: StaticArray<i32> = [I.S_red_paint, I.S_blue_paint, I.S_yellow_paint, I.S_violet_paint, I.S_green_paint, I.S_orange_paint,
  I.S_yellow_orange_paint, I.S_red_orange_paint, I.S_violet_red_paint, I.S_blue_violet_paint, I.S_green_blue_paint,
  I.S_green_yellow_paint, I.S_brown_paint];

/** Makes brown paint if exactly `n` of the known paints are present (two cups of one colour count once). */
function brown(box: Obj, n: i32): bool {
  let found = 0;
  for (let i = 0; i < known.length; i++) if (!isNil(find(box, known[i], 1))) found++;
  if (found != n) return false;
  for (let i = 0; i < known.length; i++) {
    const p = find(box, known[i], 1);
    if (!isNil(p)) remove(p, false);
  }
  return makes(box, I.C_BrownPaint, 'The paints mix to produce brown paint.');
}

function mixTwo(box: Obj): bool {
  if (water(box, I.S_sodium_chloride, 0)) return makes(box, I.C_SaltWater, 'Sodium chloride and water mix to produce salt water.');
  if (water(box, I.S_soap, ANY)) return makes(box, I.C_SoapyWater, 'Soap and water mix to produce soapy water.');
  if (water(box, I.S_sugar, ANY)) return makes(box, I.C_SugarWater, 'Sugar and water mix to produce sugar water.');
  if (water(box, I.S_flour, ANY)) return makes(box, I.C_Dough, 'Flour and water mix to produce dough.');
  if (take2(box, I.S_chocolate, ANY, I.S_marshmallow, ANY)) return makes(box, I.C_Smores, 'Chocolate and marshmallow mix to produce smores.');
  if (water(box, I.S_iron_block, ANY)) return makes(box, I.C_Rust, 'Iron block and water mix to produce rust.');
  if (take2(box, I.S_sodium_bicarbonate, ANY, I.S_acetic_acid, ANY))
    return makes(box, I.C_SodiumAcetate, 'Sodium bicarbonate and acetic acid mix to produce sodium acetate.');
  if (take2(box, I.S_bread, ANY, I.S_peanut, ANY))
    return sandwich(box, S_PEANUT, 'Bread and peanuts mix to produce a peanut butter sandwich.');
  if (take2(box, I.S_bread, ANY, I.S_jam, ANY)) return sandwich(box, S_JAM, 'Bread and peanuts mix to produce a jam sandwich.');
  if (take2(box, I.S_bread, ANY, I.S_banana, ANY)) return sandwich(box, S_BANANA, 'Bread and peanuts mix to produce a banana sandwich.');
  return colouredPaper(box) || paints(box);
}

const S_PEANUT: i32 = I.S_peanut_butter_sandwich;
const S_JAM: i32 = I.S_jam_sandwich;
const S_BANANA: i32 = I.S_banana_sandwich;

function mixThree(box: Obj): bool {
  if (take3(box, I.S_peanut, I.S_almond, I.S_cashew))
    return makes(box, I.C_MixedNuts, 'Peanuts, almonds, and cashews mix to produce mixed nuts.');
  if (take3(box, I.S_apple, I.S_orange, I.S_banana))
    return makes(box, I.C_FruitSalad, 'Apples, oranges, and bananas mix to produce fruit salad.');
  if (take3(box, I.S_bread, I.S_peanut, I.S_jam))
    return sandwich(box, I.S_peanut_butter_with_jam_sandwich, 'Bread and peanuts and jam mix to produce a peanut butter with jam sandwich.');
  if (take3(box, I.S_bread, I.S_peanut, I.S_banana))
    return sandwich(box, I.S_peanut_butter_with_banana_sandwich, 'Bread and peanuts and jam mix to produce a peanut butter with banana sandwich.');
  return brown(box, 3);
}

export function mix(box: Obj): void {
  const n = visibleCount(box);
  if (n == 0) return put('That container is empty, so there are no items to mix.');
  if (n == 1) {
    put('There is only one thing (');
    for (let c = at(box.first); !isNil(c); c = at(c.next)) if (!has(c, HIDDEN)) putName(c);
    return put(')');
  }
  if (n == 2 && mixTwo(box)) return;
  if (n == 3 && mixThree(box)) return;
  if (n == 4 && brown(box, 4)) return;
  put('Mixing the contents of the ');
  putName(box);
  put(' does not appear to produce anything new.');
}

