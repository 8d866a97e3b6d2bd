/** Builds the house in the original's order, which determines every uuid and every draw. */
import { Obj, set, OPEN } from './object';
import { add } from './containment';
import { addPortal, at, coin, draw, head, ref } from './arena';
import { make } from './construction';
import { List, stack } from './list';
import { book } from './tables';
import * as I from './tables/ids';

function put(cls: i32, container: Obj): Obj {
  const o = make(cls);
  add(container, o);
  return o;
}

function room(name: i32, universe: Obj): Obj {
  const r = put(I.C_Room, universe);
  r.name = name;
  air(r);
  return r;
}

function air(r: Obj): void {
  put(I.C_Air, r).temperature = 25;
}

function drain(basin: Obj, sewer: Obj): void {
  const d = make(I.C_LiquidDrain);
  d.a = ref(basin);
  d.b = ref(sewer);
  d.c = 1;
  set(d, OPEN, true);
  addPortal(d);
}

function sink(r: Obj, sewer: Obj): void {
  drain(put(I.C_Sink, r), sewer);
}

function withDrawer(cls: i32, container: Obj): Obj {
  const o = put(cls, container);
  put(I.C_Drawer, o);
  return o;
}

function picture(r: Obj): void {
  const kind = draw(4);
  const subject = draw(10);
  const artist = draw(4);
  const p = put(I.C_Picture, r);
  p.name = (kind == 0 ? I.S_picture : kind == 1 ? I.S_drawing : kind == 2 ? I.S_painting : I.S_finger_painting);
  p.a = subject;
  p.b = artist;
}

function bookShelf(r: Obj): void {
  const n = draw(4);
  const shelf = put(I.C_BookShelf, r);
  for (let i = 0; i < n; i++) {
    let which: i32;
    do which = draw(10);
    while (which >= 6);
    const b = put(book(which, 0), shelf);
    b.a = which;
  }
}

function door(from: Obj, to: Obj): void {
  const d = make(I.C_Door);
  d.a = ref(from);
  d.b = ref(to);
  addPortal(d);
}

/** scala.util.Random.shuffle of six small numbers. */
function shuffleSix(values: StaticArray<i32>): void {
  for (let n = values.length; n >= 2; n--) {
    const k = draw(n);
    const last = values[n - 1];
    values[n - 1] = values[k];
    values[k] = last;
  }
}

const colours: StaticArray<i32> = new StaticArray<i32>(6);

function drawColours(fifth: i32, sixth: i32): void {
  colours[0] = 0;
  colours[1] = 1;
  colours[2] = 2;
  colours[3] = 3;
  colours[4] = fifth;
  colours[5] = sixth;
  shuffleSix(colours);
}

const bulbs: StaticArray<i32> = [I.S_red_light_bulb, I.S_green_light_bulb, I.S_blue_light_bulb, I.S_yellow_light_bulb,
  I.S_orange_light_bulb, I.S_violet_light_bulb, I.S_black_light_bulb];
const wires: StaticArray<i32> = [I.S_red_wire, I.S_green_wire, I.S_blue_wire, I.S_yellow_wire, I.S_orange_wire, I.S_violet_wire,
  I.S_black_wire];

function workshop(r: Obj): void {
  const table = put(I.C_WoodTable, r);
  drawColours(4, 5);
  for (let i = 0; i < 3; i++) put(I.C_LightBulb, table).name = bulbs[colours[i]];
  drawColours(4, 6);
  for (let i = 0; i < 3; i++) put(I.C_Wire, table).name = wires[colours[i]];
  put(I.C_Switch, table);
  put(I.C_Battery, table);
  put(I.C_UltraColdFreezer, r);
}

function greenhouse(r: Obj, sewer: Obj): void {
  put(I.C_Jug, r);
  const hive = put(I.C_BeeHive, r);
  for (let i = 0; i < 5; i++)
    put(I.C_Bee, hive).name = (i == 0 ? I.S_bee_0 : i == 1 ? I.S_bee_1 : i == 2 ? I.S_bee_2 : i == 3 ? I.S_bee_3 : I.S_bee_4);
  sink(r, sewer);
}

function paintsInCups(container: Obj): void {
  const red = make(I.C_RedPaint);
  const blue = make(I.C_BluePaint);
  const yellow = make(I.C_YellowPaint);
  add(put(I.C_WoodCup, container), red);
  add(put(I.C_WoodCup, container), blue);
  add(put(I.C_WoodCup, container), yellow);
}

function artStudio(r: Obj): void {
  const table = put(I.C_WoodTable, r);
  const vessels: List = stack;
  const from = vessels.length;
  vessels.push(make(I.C_GlassCup));
  vessels.push(make(I.C_WoodBowl));
  vessels.push(make(I.C_Jug));
  for (let n = 3; n >= 2; n--) {
    const k = draw(n);
    const last = vessels.get(from + n - 1);
    vessels.put(from + n - 1, vessels.get(from + k));
    vessels.put(from + k, last);
  }
  add(table, vessels.get(from));
  vessels.length = from;
  paintsInCups(r);
  const cupboard = withDrawer(I.C_Cupboard, r);
  cupboard.name = I.S_large_cupboard;
  paintsInCups(cupboard);
}

function kitchen(r: Obj, sewer: Obj): void {
  sink(r, sewer);
  put(I.C_Stove, r);
  const fridge = put(I.C_Fridge, r);
  put(I.C_Freezer, r);
  put(I.C_Oven, r);
  const cupboard = withDrawer(I.C_Cupboard, r);
  put(I.C_MetalPot, cupboard);
  put(I.C_TinCup, cupboard);
  put(I.C_CeramicCup, cupboard);
  const bowl = put(I.C_WoodBowl, withDrawer(I.C_Counter, r));
  put(I.C_Apple, bowl);
  put(I.C_Banana, bowl);
  put(I.C_Orange, bowl);
  put(I.C_Potato, bowl);
  put(I.C_OrangeJuice, put(I.C_WoodCup, fridge));
  put(I.C_Thermometer, r);
  picture(r);
  put(I.C_GlassCup, put(I.C_WoodTable, r));
  put(I.C_Chair, r);
  put(I.C_Lighter, r);
  put(I.C_SodiumChloride, put(I.C_GlassJar, r));
  put(I.C_Soap, r);
  put(I.C_StopWatch, r);
}

function livingRoom(r: Obj): void {
  put(I.C_Pillow, put(I.C_Couch, r));
  put(I.C_Chair, r);
  const table = draw(3);
  if (table == 0) put(I.C_WoodTable, r);
  else if (table == 1) put(I.C_SteelTable, r);
  else withDrawer(I.C_Desk, r);
  picture(r);
  if (coin()) bookShelf(r);
}

function bedroom(r: Obj): void {
  put(I.C_Pillow, put(I.C_Mattress, put(I.C_Bed, r)));
  put(I.C_WoodTable, r);
  put(I.C_Closet, r);
  picture(r);
  if (coin()) bookShelf(r);
}

function bathroom(r: Obj, sewer: Obj): void {
  sink(r, sewer);
  const toilet = put(I.C_Toilet, r);
  drain(toilet, sewer);
  put(I.C_Water, toilet);
  drain(put(I.C_Bathtub, r), sewer);
  put(I.C_GlassCup, r);
  picture(r);
}

export function buildHouse(): void {
  const universe = make(I.C_Universe);
  head.universe = ref(universe);
  const sewer = put(I.C_Sewer, universe);
  const kitchenRoom = room(I.S_kitchen, universe);
  kitchen(kitchenRoom, sewer);
  const living = room(I.S_living_room, universe);
  livingRoom(living);
  const bed = room(I.S_bedroom, universe);
  bedroom(bed);
  const bath = room(I.S_bathroom, universe);
  bathroom(bath, sewer);
  const work = room(I.S_workshop, universe);
  workshop(work);
  const green = room(I.S_greenhouse, universe);
  greenhouse(green, sewer);
  const art = room(I.S_art_studio, universe);
  artStudio(art);
  const hall = room(I.S_hallway, universe);
  picture(hall);
  const outside = put(I.C_Outside, universe);
  air(outside);
  put(I.C_Ground, outside);
  put(I.C_FirePit, outside);
  put(I.C_Wood, outside);
  put(I.C_Axe, outside);
  put(I.C_Fountain, outside);
  const foundry = room(I.S_foundry, universe);
  put(I.C_BlastFurnace, foundry);
  sink(foundry, sewer);
  put(I.C_SteelTable, foundry);
  const shovel = make(I.C_Shovel);
  add(draw(2) == 1 ? green : outside, shovel);
  door(kitchenRoom, hall);
  door(living, hall);
  door(bed, hall);
  door(bath, kitchenRoom);
  door(work, hall);
  door(green, hall);
  door(art, hall);
  door(kitchenRoom, outside);
  door(green, outside);
  door(foundry, outside);
  const agent = make(I.C_Agent);
  head.agent = ref(agent);
  const inventory = put(I.C_InventoryContainer, agent);
  head.inventory = ref(inventory);
  put(I.C_Orange, inventory);
  const start = draw(10);
  const rooms: StaticArray<i32> = startRooms;
  rooms[0] = ref(art);
  rooms[1] = ref(bath);
  rooms[2] = ref(bed);
  rooms[3] = ref(foundry);
  rooms[4] = ref(green);
  rooms[5] = ref(hall);
  rooms[6] = ref(kitchenRoom);
  rooms[7] = ref(living);
  rooms[8] = ref(outside);
  rooms[9] = ref(work);
  add(at(rooms[start]), agent);
}

const startRooms: StaticArray<i32> = new StaticArray<i32>(10);
