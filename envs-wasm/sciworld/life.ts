/** Life: stages of animals and plants, flowers, pollen, bees. */
import { DEAD, EDIBLE, HAS_CONTAINER, NIL, OPEN, Obj, SICK, has, isNil, isOf, set } from './object';
import { add, expelContents, remove } from './containment';
import { at, draw, head, parentOf, portal, ref } from './arena';
import { make } from './construction';
import { stack } from './list';
import { lifecycle, lifeform } from './tables';
import { accessible, farSide, firstNamed, nextPortal, openLocation } from './search';
import { mate, plantKind, randomGenes } from './genetics';
import { plantNameId } from './names';
import * as I from './tables/ids';

function enterStage(o: Obj, stage: i32): void {
  o.stage = stage;
  o.count = 0;
  o.dry = 0;
  o.bare = 0;
  o.cold = 0;
}

// ---- animals --------------------------------------------------------------------------------------------------------------

function nextStage(cycle: i32, stage: i32): i32 {
  switch (stage) {
    case I.STAGE_baby:
    case I.STAGE_hatchling:
      return I.STAGE_juvenile;
    case I.STAGE_juvenile:
    case I.STAGE_tadpole:
    case I.STAGE_pupa:
      return I.STAGE_adult;
    case I.STAGE_caterpillar:
      return I.STAGE_pupa;
    case I.STAGE_egg:
      return cycle == 4 ? I.STAGE_tadpole : cycle == 5 ? I.STAGE_caterpillar : I.STAGE_hatchling;
    default:
      return cycle == 4 || cycle == 5 ? I.STAGE_death : I.STAGE_dead;
  }
}

export function age(o: Obj): void {
  const cycle = lifecycle(o.cls);
  if (o.stage == I.STAGE_dead || o.stage == I.STAGE_death) {
    o.flags |= DEAD;
    const holder = parentOf(o);
    if (!isNil(holder)) expelContents(o, holder);
    return;
  }
  if (cycle == 6) return;
  o.count++;
  if (<i32>o.count >= (o.stage == I.STAGE_adult ? 50 : 20)) enterStage(o, nextStage(cycle, o.stage));
}

// ---- plants ---------------------------------------------------------------------------------------------------------------

function beside(o: Obj, name: i32): Obj {
  const holder = parentOf(o);
  return isNil(holder) ? NIL : firstNamed(holder, name);
}

/**
 * Effects of one tick without water, soil or warmth. Returns true if growth stops; too many such ticks kill the plant.
 */
function wear(o: Obj, water: Obj, thirst: i32): bool {
  let stressed = false;
  let sick = false;
  let dead = false;
  if (isNil(water)) {
    o.dry++;
    if (thirst == 20) stressed = true;
    if (<i32>o.dry >= thirst / 2) {
      stressed = true;
      sick = true;
    }
    if (<i32>o.dry >= thirst) dead = true;
  } else o.dry = 0;
  if (isNil(beside(o, I.S_soil))) {
    stressed = true;
    o.bare++;
    if (o.bare >= 2) sick = true;
    if (o.bare >= 5) dead = true;
  } else o.bare = 0;
  if (o.temperature >= 50 || o.temperature <= 0) {
    o.cold++;
    sick = true;
    if (o.cold >= 5) dead = true;
  } else o.cold = 0;
  set(o, SICK, sick);
  if (dead) enterStage(o, I.STAGE_dead);
  return stressed;
}

function drink(water: Obj): void {
  if (!isNil(water)) remove(water, false);
}

function growSeed(o: Obj): void {
  const water = beside(o, I.S_water);
  if (isNil(water) || isNil(beside(o, I.S_soil))) return;
  o.count++;
  if (o.count < 10) return;
  drink(water);
  enterStage(o, I.STAGE_seedling);
}

function growSeedling(o: Obj): void {
  const water = beside(o, I.S_water);
  if (wear(o, water, 20)) return;
  o.count++;
  if (o.count < 10) return;
  drink(water);
  enterStage(o, I.STAGE_adult);
}

function growAdult(o: Obj): void {
  const water = beside(o, I.S_water);
  drink(water);
  if (wear(o, water, 50)) return;
  o.count++;
  if (o.count >= 5) enterStage(o, I.STAGE_reproducing);
}

function hasFlower(o: Obj): bool {
  for (let c = at(o.first); !isNil(c); c = at(c.next)) if (c.cls == I.C_Flower) return true;
  return false;
}

function growReproducing(o: Obj): void {
  const water = beside(o, I.S_water);
  drink(water);
  if (wear(o, water, 50)) return;
  o.count++;
  if (o.count < 5) return;
  o.count = 0;
  if (hasFlower(o)) return;
  const flower = make(I.C_Flower);
  flower.b = ref(o);
  add(o, flower);
}

function wither(o: Obj): void {
  o.flags |= DEAD;
  const holder = parentOf(o);
  if (isNil(holder)) return;
  while (o.first != 0) {
    const c = at(o.first);
    if (c.cls == I.C_Flower) {
      expelContents(c, holder);
      remove(c, false);
    } else add(holder, c);
  }
}

export function growPlant(o: Obj): void {
  if (isOf(o, I.F_FruitingTree) || plantKind(o) != 0) {
    o.name = plantNameId(o);
    set(o, EDIBLE, o.stage == I.STAGE_seed);
  }
  switch (o.stage) {
    case I.STAGE_seed:
      return growSeed(o);
    case I.STAGE_seedling:
      return growSeedling(o);
    case I.STAGE_adult:
      return growAdult(o);
    case I.STAGE_reproducing:
      return growReproducing(o);
    default:
      return wither(o);
  }
}

// ---- flowers and fruit ------------------------------------------------------------------------------------------------------

function fruitClass(plant: Obj): i32 {
  switch (plant.cls) {
    case I.C_AppleTree:
      return I.C_Apple;
    case I.C_AvocadoTree:
      return I.C_Avocado;
    case I.C_BananaTree:
      return I.C_Banana;
    case I.C_CherryTree:
      return I.C_Cherry;
    case I.C_LemonTree:
      return I.C_Lemon;
    case I.C_OrangeTree:
      return I.C_Orange;
    case I.C_PeachTree:
      return I.C_Peach;
    case I.C_ApricotTree:
      return I.C_Apricot;
    case I.C_GrapefruitTree:
      return I.C_Grapefruit;
    case I.C_PearTree:
      return I.C_Pear;
    default:
      return 0;
  }
}

function setFruit(plant: Obj, otherGenes: i32, into: Obj): void {
  const kind = plantKind(plant);
  const cls = kind != 0 ? <i32>plant.cls : fruitClass(plant);
  if (cls == 0) return;
  const genes = kind != 0 ? mate(plant.genes, otherGenes) : 0;
  // The constructor of an unknown plant first draws the genes of its superclass.
  if (kind > 1) randomGenes();
  const fruit = make(cls);
  fruit.genes = genes;
  add(into, fruit);
}

function carriesOwnPollen(flower: Obj): bool {
  for (let c = at(flower.first); !isNil(c); c = at(c.next)) if (c.cls == I.C_Pollen && c.b == flower.b) return true;
  return false;
}

function isForeign(pollen: Obj, flower: Obj): bool {
  return pollen.cls == I.C_Pollen && pollen.b != flower.b && lifeform(at(pollen.b).cls) == lifeform(at(flower.b).cls);
}

function foreignPollen(flower: Obj): Obj {
  for (let c = at(flower.first); !isNil(c); c = at(c.next)) {
    if (isForeign(c, flower)) return c;
    for (let d = at(c.first); !isNil(d); d = at(d.next)) if (isForeign(d, flower)) return d;
  }
  return NIL;
}

export function bloom(flower: Obj): void {
  if (flower.a > 0) {
    flower.a++;
    const holder = parentOf(flower);
    if (flower.a <= 5 || isNil(holder)) return;
    setFruit(at(flower.b), flower.otherGenes, holder);
    return remove(flower, true);
  }
  if (!carriesOwnPollen(flower)) {
    const pollen = make(I.C_Pollen);
    pollen.b = flower.b;
    add(flower, pollen);
  }
  const foreign = foreignPollen(flower);
  if (isNil(foreign)) return;
  flower.otherGenes = at(foreign.b).genes;
  flower.a = 1;
  remove(foreign, false);
}

// ---- bees ---------------------------------------------------------------------------------------------------------------------

function collectPollen(bee: Obj): void {
  let carried = 0;
  for (let c = at(bee.first); !isNil(c); c = at(c.next)) if (c.cls == I.C_Pollen) carried++;
  if (carried > 5) return;
  const from = stack.length;
  for (let c = at(parentOf(bee).first); !isNil(c); c = at(c.next)) if (c.cls == I.C_Pollen) stack.push(c);
  const n = stack.length - from;
  if (n > 0) add(bee, stack.get(from + draw(n)));
  stack.length = from;
}

function moveIntoFlower(bee: Obj): void {
  const from = stack.length;
  accessible(parentOf(bee), false, stack);
  let n = from;
  for (let i = from; i < stack.length; i++) if (stack.get(i).cls == I.C_Flower) stack.put(n++, stack.get(i));
  // `accessible` walks depth first, but flowers are drawn in uuid order.
  for (let i = from + 1; i < n; i++) {
    const o = stack.get(i);
    let j = i;
    for (; j > from && stack.get(j - 1).uuid > o.uuid; j--) stack.put(j, stack.get(j - 1));
    stack.put(j, o);
  }
  const chosen = n > from ? stack.get(from + draw(n - from)) : NIL;
  stack.length = from;
  if (!isNil(chosen)) add(chosen, bee);
}

function moveElsewhere(bee: Obj): void {
  const here = parentOf(bee);
  const from = stack.length;
  for (let i = nextPortal(here, 0); i < head.portals; i = nextPortal(here, i + 1)) if (has(portal(i), OPEN)) stack.push(portal(i));
  const n = stack.length - from;
  const through = n > 0 ? stack.get(from + draw(n)) : NIL;
  stack.length = from;
  if (!isNil(through)) return add(farSide(through, here), bee);
  if (isOf(here, I.F_Location) || !has(here, HAS_CONTAINER) || !has(here, OPEN)) return;
  const outside = openLocation(here);
  if (!isNil(outside)) add(outside, bee);
}

export function buzz(bee: Obj): void {
  const here = parentOf(bee);
  if (isNil(here)) return;
  const second = draw(2) == 1;
  if (here.cls == I.C_Flower) {
    if (second) moveElsewhere(bee);
    else collectPollen(bee);
  } else if (second) moveIntoFlower(bee);
  else moveElsewhere(bee);
}

