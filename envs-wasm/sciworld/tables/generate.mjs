// Generates the world's tables from json/: `ids.ts` (constants that the AssemblyScript sources name) and `tables.bin`
// (strings, materials, classes, tasks with their modifiers and goals, gzip). Run `node
// envs-wasm/sciworld/tables/generate.mjs` after a change. For the layout of tables.bin see its reader, ../tables.ts.
// All numbers are little-endian.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import { goalsOf } from './goals.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const read = (name) => readFileSync(join(here, 'json', name));
const json = (name) => JSON.parse(read(name).toString());
const lines = (buffer) => buffer.toString().trim().split('\n').map((line) => JSON.parse(line));

const objects = json('objects.json');
const materials = json('materials.json');
const books = json('books.json');
const index = lines(gunzipSync(read('world_index.jsonl.gz')));
checkGoals();

// ---- writer -------------------------------------------------------------------------------------------------------
class Writer {
  bytes = new Uint8Array(1 << 16);
  view = new DataView(this.bytes.buffer);
  length = 0;
  room(n) {
    if (this.length + n <= this.bytes.length) return;
    const next = new Uint8Array(this.bytes.length * 2);
    next.set(this.bytes);
    this.bytes = next;
    this.view = new DataView(next.buffer);
  }
  u8(v) { this.room(1); this.view.setUint8(this.length, v); this.length += 1; }
  u16(v) { this.room(2); this.view.setUint16(this.length, v, true); this.length += 2; }
  u32(v) { this.room(4); this.view.setUint32(this.length, v, true); this.length += 4; }
  f64(v) { this.room(8); this.view.setFloat64(this.length, v, true); this.length += 8; }
  raw(b) { this.room(b.length); while (this.bytes.length < this.length + b.length) this.room(b.length + this.bytes.length); this.bytes.set(b, this.length); this.length += b.length; }
  pad(n) { while (this.length % n) this.u8(0); }
  done() { return this.bytes.slice(0, this.length); }
}

// ---- strings ------------------------------------------------------------------------------------------------------
const strings = new Map([['', 0]]);
const id = (text) => {
  if (typeof text !== 'string') throw new Error(`not a string: ${text}`);
  if (!strings.has(text)) strings.set(text, strings.size);
  return strings.get(text);
};
const constant = (text) => text.replace(/[^A-Za-z0-9]+/g, '_');
const named = `agent,inventory,water,soil,door,drain,universe,sewer,kitchen,living room,bedroom,bathroom,workshop,greenhouse,art studio,
hallway,outside,foundry,large cupboard,bee 0,bee 1,bee 2,bee 3,bee 4,red,green,blue,yellow,orange,violet,black,picture,drawing,painting,
finger painting,anode,cathode,terminal 1,terminal 2,solid,liquid,gas,sodium chloride,soap,sugar,flour,chocolate,marshmallow,iron block,
sodium bicarbonate,acetic acid,bread,peanut,jam,banana,paper,almond,cashew,apple,red paint,blue paint,yellow paint,violet paint,
green paint,orange paint,yellow-orange paint,red-orange paint,violet-red paint,blue-violet paint,green-blue paint,green-yellow paint,
brown paint,lighter,inclined plane,pea,unknown B,unknown C,unknown D,unknown E,peanut butter,peanut butter with jam,
peanut butter with banana,egg,hatchling,juvenile,adult,baby,tadpole,caterpillar,pupa,dead,death,seed,seedling,reproducing,
frog egg,adult frog,dead frog,butterfly egg,butterfly pupa,adult butterfly,dead butterfly,unknown substance`
  .replace(/\n/g, '').split(',');
const colours = ['red', 'green', 'blue', 'yellow', 'orange', 'violet', 'black'];
for (const name of named) id(name);
for (const c of colours) { id(`${c} light bulb`); id(`${c} wire`); id(`${c} paper`); }
for (const s of ['peanut butter', 'jam', 'banana', 'peanut butter with jam', 'peanut butter with banana']) id(`${s} sandwich`);
const subjects = ['a cow', 'a chicken', 'a farm', 'a lush green meadow', 'rolling hills', 'a wintery mountain',
  'a boat crossing a river', 'the moon', 'abstract shapes', 'two people playing'];
const artists = ['Alexandra', 'Owen', 'Bob', 'Lily'];

// ---- stages -------------------------------------------------------------------------------------------------------
const stages = ['', 'egg', 'hatchling', 'juvenile', 'adult', 'baby', 'tadpole', 'caterpillar', 'pupa', 'dead', 'death', 'seed',
  'seedling', 'reproducing'];
const stage = (name) => {
  const i = stages.indexOf(name);
  if (i < 0) throw new Error(`unknown stage ${name}`);
  return i;
};

// ---- materials ----------------------------------------------------------------------------------------------------
const materialId = new Map(materials.map((m, i) => [m.class, i + 1]));
const states = { solid: 0, liquid: 1, gas: 2 };
function writeMaterials(w) {
  for (const m of [null, ...materials]) {
    const start = w.length;
    w.u16(id(m?.substanceName ?? ''));
    for (const s of ['solid', 'liquid', 'gas']) w.u16(id(m?.names[s] ?? ''));
    w.u16(id(m?.color ?? ''));
    w.u8(m ? states[m.stateOfMatter] : 0);
    w.u8(m?.electricallyConductive ? 1 : 0);
    w.u16(m?.combustionTicks ?? 0);
    w.u16(0);
    for (const key of ['temperatureC', 'thermalConductivity', 'meltingPoint', 'boilingPoint', 'combustionPoint', 'frictionCoefficient'])
      w.f64(m?.[key] ?? 0);
    if (w.length - start !== 64) throw new Error('material record');
  }
}

// ---- classes ------------------------------------------------------------------------------------------------------
const family = { Container: 1, Device: 2, Sittable: 4, Document: 8, Book: 16, Food: 32, Substance: 64, Paint: 128, Animal: 256,
  LivingThing: 512, Plant: 1024, Tree: 2048, FruitingTree: 4096, RandomGeneticsPlants: 8192, PolarizedElectricalComponent: 16384,
  UnpolarizedElectricalComponent: 32768, Generator: 65536, Location: 131072, Portal: 262144, Terminal: 524288,
  RenewableOutdoorGenerator: 1048576, HeatSource: 2097152, CoolingSource: 4194304, Cup: 8388608 };
// Numbers of life cycles: 1 animal, 2 tortoise, 3 bird, 4 frog, 5 butterfly, 6 adult forever, 7 plant.
const cycleOfStages = {
  'baby|juvenile|adult|dead': 1, 'egg|tadpole|adult|death': 4, 'egg|caterpillar|pupa|adult|death': 5, 'adult|dead': 6,
  'seed|seedling|adult|reproducing|dead': 7, 'egg|hatchling|juvenile|adult|dead': 2,
};
const classes = [];
for (const o of objects) if (!classes[o.typeID] || o.class === 'Sink' || (o.class === 'Room' && o.name !== 'room')) classes[o.typeID] = o;
for (let i = 0; i < classes.length; i++) // type numbers of abstract classes, which have no objects
  classes[i] ??= { class: `Type${i}`, name: '', extends: [], movable: false, referents: [], desc0: '', descriptName: '' };
const extra = ['Anode', 'Cathode', 'Terminal'];
for (const c of extra) classes.push({ class: c, name: c.toLowerCase(), extends: ['Terminal'], movable: false, referents: [], desc0: '', descriptName: '' });
const classId = new Map(classes.map((c, i) => [c.class, i]));
/** Exceptions to `keepsClassName`. */
const withoutClassName = new Set(['Sewer', 'AnswerBox', 'InventoryContainer', 'Cup', 'Sandwich', 'SelfWateringFlowerPot']);
/** True if objects of the class still answer to the name of the class when they are renamed. */
const keepsClassName = (c) =>
  !withoutClassName.has(c.class) && !c.extends.includes('Sittable') &&
  (['Fountain', 'Ground', 'Hole'].includes(c.class) || c.extends.some((f) => ['Container', 'Food'].includes(f)));
function writeClasses(w) {
  for (const c of classes) {
    const start = w.length;
    let bits = 0;
    for (const f of [c.class, ...c.extends]) bits |= family[f] ?? 0;
    w.u16(id(c.name));
    w.u8(c.material ? materialId.get(c.material) : 0);
    w.u8(c.edible ? 1 | (c.edible.isEdible ?? c.edible[0] ? 2 : 0) : 0);
    const k = c.container;
    w.u8(k ? 128 | Number(k.isContainer) | (Number(k.isOpen) << 1) | (Number(k.isClosable) << 2) : 0);
    const d = c.device;
    w.u8(d ? 128 | Number(d.isActivable) | (Number(d.isActivated) << 1) | (Number(d.isUsable) << 2) : 0);
    w.u8(Number(c.movable) | (Number(!!c.hasTerminals) << 1));
    w.u8(c.electricalRole ?? 2);
    w.u32(bits);
    const cycle = c.lifecycle ? cycleOfStages[c.lifecycle] : 0;
    if (c.life && !cycle) throw new Error(`no cycle: ${c.class} ${c.lifecycle}`);
    w.u8(cycle);
    w.u8(cycle ? stage(c.lifecycle.split('|')[0]) : 0);
    w.u16(id(c.life?.lifeformType ?? ''));
    w.f64(c.heatSource?.maxTemp ?? -1e9);
    w.f64(c.coolingSource?.minTemp ?? 1e9);
    const plain = (c.desc0 ?? '').endsWith(c.descriptName) ? c.desc0.slice(0, c.desc0.length - c.descriptName.length) : 'a ';
    w.u16(id(plain));
    const own = (c.referents ?? []).filter((r) => r && (keepsClassName(c) || (r !== c.name && r !== c.descriptName)) && !r.endsWith('containing nothing'));
    const containing = (c.referents ?? []).some((r) => r.endsWith('containing nothing'));
    const listed = bits & (family.LivingThing | family.Document) ? [] : own.slice(0, 8);
    w.u8(listed.length);
    w.u8(containing ? 1 : 0);
    for (let i = 0; i < 8; i++) w.u16(listed[i] ? id(listed[i]) : 0);
    w.pad(64);
    if (w.length - start !== 64) throw new Error('class record');
  }
}

// ---- plants: the names a plant takes, plain, burned and burning -----------------------------------------------------
const lifeforms = [...new Set(objects.filter((o) => o.lifecycle === 'seed|seedling|adult|reproducing|dead').map((o) => o.life.lifeformType))];
function writePlantNames(w) {
  w.u16(lifeforms.length);
  for (const l of lifeforms) {
    w.u16(id(l));
    for (const kind of ['seed', 'tree', 'plant'])
      for (const form of ['@', 'burned @', '@ (on fire)']) w.u16(id(form.replace('@', `${l} ${kind}`)));
  }
}

// ---- unknown substances ---------------------------------------------------------------------------------------------
const letters = 'BCDEFGHJKLMNOPQRSTUVWXYZ';
const melting = { A: 25, B: 75, C: 115, D: -30, E: -10, F: 275, G: 30, H: 225, I: 75, J: -75, K: 520, L: 325, M: -25, N: 175, O: 25,
  P: 75, Q: 425, R: 30, S: 15, T: -2, U: 625, V: -220, W: 575, X: -175, Y: 675, Z: 775 };
function writeUnknowns(w) {
  w.u16(letters.length);
  for (const l of letters) {
    w.f64(melting[l]);
    w.u16(id(`unknown substance ${l}`));
    for (const s of ['solid', 'liquid', 'gaseous']) w.u16(id(`${s} unknown substance ${l}`));
  }
}

// ---- tasks ----------------------------------------------------------------------------------------------------------
const taskOrder = ['boil', 'melt', 'freeze', 'change-the-state-of-matter-of', 'use-thermometer', 'measure-melting-point-known-substance',
  'measure-melting-point-unknown-substance', 'power-component', 'power-component-renewable-vs-nonrenewable-energy',
  'test-conductivity', 'test-conductivity-of-unknown-substances', 'find-living-thing', 'find-non-living-thing', 'find-plant',
  'find-animal', 'grow-plant', 'grow-fruit', 'chemistry-mix', 'chemistry-mix-paint-secondary-color',
  'chemistry-mix-paint-tertiary-color', 'lifespan-longest-lived', 'lifespan-shortest-lived',
  'lifespan-longest-lived-then-shortest-lived', 'identify-life-stages-1', 'identify-life-stages-2',
  'inclined-plane-determine-angle', 'inclined-plane-friction-named-surfaces', 'inclined-plane-friction-unnamed-surfaces',
  'mendelian-genetics-known-plant', 'mendelian-genetics-unknown-plant'];
const goalKinds = ['', 'Find', 'FindAnswerBox', 'FindLivingThingStage', 'FindInclinedPlane', 'FindInclinedPlaneNamed',
  'FocusOnLivingThing', 'FocusOnAnimal', 'FocusOnPlant', 'FocusOnNonlivingThing', 'ChangeStateOfMatter', 'IsStateOfMatter',
  'IsDifferentStateOfMatter', 'ObjectInContainer', 'ObjectInContainerByName', 'ContainerByTemperature', 'ActivateDevice',
  'ElectricallyConnected', 'LifeStage', 'MoveToLocation', 'MoveToNewLocation', 'InRoomWithOpenDoor', 'InRoomWithObject',
  'ObjectsInSingleContainer', 'SpecificObjectInDirectContainer', 'ActivateDeviceWithName', 'DeactivateDeviceWithName',
  'StayInLocation', 'TemperatureOnFire', 'TemperatureIncrease', 'TemperatureDecrease', 'ContainerOpen', 'LifeStageAnywhere',
  'PastActionExamineObject', 'PastActionReadObject', 'PastActionUseObjectOnObject', 'ObjectConnectedToWire',
  'WireConnectsObjectAndAnyPowerSource', 'WireConnectsObjectAndAnyLightBulb', 'WireConnectsPowerSourceAndAnyLightBulb'];

const blobs = new Map();
const pool = new Writer();
function pooled(bytes) {
  const key = Buffer.from(bytes).toString('latin1');
  if (!blobs.has(key)) { blobs.set(key, pool.length); pool.raw(bytes); }
  return blobs.get(key);
}

const traitOrder = {
  pea: ['plant height', 'seed shape', 'seed color', 'flower color'],
  'unknown E': ['seed color', 'leaf shape', 'flower size', 'seed shape'],
  'unknown B': ['plant height', 'seed color', 'flower size', 'flower color'],
  'unknown C': ['plant height', 'leaf shape', 'flower size', 'flower color'],
  'unknown D': ['seed shape', 'leaf size', 'flower size', 'flower color'],
};
const genes = (dna, lifeform) => {
  const pairs = Object.fromEntries(dna.split(';').map((p) => p.split('=')));
  const side = (k) => traitOrder[lifeform].reduce((bits, t, i) => bits | (pairs[t][k] === 'D' ? 1 << i : 0), 0);
  return side(0) | (side(1) << 4);
};

/** One example object: the fixed part, then its parts. `hints` has the facts that the object tree lacks. */
function writeNode(w, node, hints) {
  const [uuid, cls, name, p, children] = node;
  const c = classId.get(cls);
  if (c === undefined) throw new Error(`unknown class ${cls}`);
  const polarized = cls === 'Anode' || cls === 'Cathode';
  w.u16(uuid);
  w.u8(c);
  w.u8((p.T !== undefined ? 1 : 0) | (p.open !== undefined ? 2 : 0) | (p.open ? 4 : 0) | (p.on ? 8 : 0) | (p.deg !== undefined ? 16 : 0));
  w.u16(id(name));
  w.u8({ s: 0, l: 1, g: 2 }[p.s] ?? 255);
  w.u8(p.stage ? stage(p.stage) : 0);
  w.u8(p.dna ? genes(p.dna, name) : 255);
  w.u8(p.dna ? 1 : 0);
  const [a, b] = polarized ? [0, 0] : hints(cls, name);
  w.u16(a);
  w.u16(b);
  if (p.T !== undefined) w.f64(p.T);
  if (p.deg !== undefined) { w.f64(p.deg); w.f64(p.fr); }
  const parts = children.filter((k) => !['Anode', 'Cathode', 'Terminal'].includes(k[1]));
  w.u8(parts.length);
  for (const k of parts) writeNode(w, k, hints);
}

function hintsOf(task, values) {
  let plane = 0;
  return (cls, name) => {
    if (cls === 'InclinedPlane') {
      const text = values[`planeName${++plane}`];
      const surface = /with a (.*) surface$/.exec(text);
      return surface ? [0, id(surface[1])] : [id(text.slice('inclined plane '.length)), 0];
    }
    if (cls === 'UnknownSubstanceThermal' && task === 'measure-melting-point-unknown-substance')
      return [letters.indexOf(name.at(-1)) + 1, 0];
    if (cls === 'UnknownSubstanceElectricalConductivity') return [values.unknownIsConductive ? 1 : 0, 0];
    if (cls === 'Recipe') return [id(values.result), id(names(values.inputChemicals).join(', '))];
    return [0, 0];
  };
}
const names = (text) => text.split(',');

function writeGoal(w, g, keys) {
  const kind = goalKinds.indexOf(g.goal);
  if (kind < 0) throw new Error(`unknown goal ${g.goal}`);
  const list = g.list ?? [];
  const bit = (k) => {
    if (!keys.includes(k)) keys.push(k);
    return keys.indexOf(k) + 1;
  };
  w.u8(kind);
  w.u8((g.defocus ? 1 : 0) | (g.combustion ? 2 : 0));
  w.u8(g.key ? bit(g.key) : 0);
  w.u8(list.length);
  w.u32((g.requires ?? []).reduce((m, k) => m | (1 << (bit(k) - 1)), 0) >>> 0);
  w.u16(id(g.a ?? ''));
  w.u16(id(g.b ?? ''));
  for (let i = 0; i < 4; i++) w.u16(list[i] ? id(list[i]) : 0);
  w.u16(id(g.text ?? ''));
  w.u16(0);
  w.f64(g.num ?? 0);
}

function valuesOf(entry) {
  return Object.fromEntries(entry.mods.filter((m) => m[0] === 'V').map((m) => [m[1], m[2]]));
}

const words = new Map();
const wordId = (text) => {
  if (!words.has(text)) words.set(text, words.size);
  return words.get(text);
};
function writeVariation(w, entry) {
  const values = valuesOf(entry);
  const hints = hintsOf(entry.task, values);
  const mods = entry.mods.filter((m) => m[0] === 'D' || (m[0] === 'O' && m[6]));
  const head = new Writer();
  const planes = entry.task.startsWith('inclined-plane') ? 1 : 0;
  head.u8(planes);
  head.u8(mods.length);
  for (const m of mods) {
    head.u8(m[0] === 'D' ? 1 : 0);
    head.u16(id(m[1]));
    if (m[0] === 'D') {
      head.u8(m[2].length);
      for (const room of m[2]) head.u16(id(room));
      continue;
    }
    const node = new Writer();
    writeNode(node, m[6], hints);
    const where = m[3].filter((n) => n !== '');
    head.u16(id(m[2]));
    head.u8(m[4]);
    head.u8(where.length ? where.length + 1 : 0);
    for (const n of where) head.u16(id(n));
    head.u32(pooled(node.done()));
  }
  const goals = goalsOf[entry.task](values, entry.var);
  const keys = [];
  const body = new Writer();
  body.u8(goals.ordered.length);
  body.u8(goals.optional.length);
  body.u16(0);
  for (const g of [...goals.ordered, ...goals.optional]) {
    const one = new Writer();
    writeGoal(one, g, keys);
    body.u32(pooled(one.done()));
  }
  if (keys.length > 32) throw new Error('too many keys');
  const text = new Writer();
  const parts = entry.desc.split(' ');
  text.u16(parts.length);
  for (const p of parts) text.u16(wordId(p));
  w.u32(pooled(head.done()));
  w.u32(pooled(body.done()));
  w.u32(pooled(text.done()));
}

function checkGoals() {
  const byKey = new Map(index.map((e) => [`${e.task} ${e.var}`, e]));
  const canonical = (list) => list.map((x) => JSON.stringify(x)).filter((x) => x !== '""' && x !== '[]').sort().join();
  for (const known of lines(read('goals_by_task.jsonl'))) {
    const mine = goalsOf[known.task](valuesOf(byKey.get(`${known.task} ${known.var}`)), known.var);
    for (const kind of ['ordered', 'optional']) {
      known[kind].forEach((want, i) => {
        const got = mine[kind][i];
        const ends = got?.goal === 'ObjectConnectedToWire';
        const same = got && mine[kind].length === known[kind].length && `Goal${got.goal}` === want.goal
          && canonical(Object.values(want.params).filter((x) => typeof x !== 'boolean'))
            === canonical([got.a, got.b, got.list, ends ? undefined : got.num].filter((x) => x !== undefined))
          && (got.key ?? '') === want.key && (got.requires ?? []).join() === want.requires.join()
          && !!got.defocus === want.defocusOnSuccess && (!ends || want.params.terminal1 === (got.num === 1));
        if (!same) throw new Error(`goal ${kind} ${i} of ${known.task} ${known.var} differs: ${JSON.stringify(want)}`);
      });
    }
  }
}

// ---- put together -----------------------------------------------------------------------------------------------------
const variations = new Writer();
const counts = [];
for (const task of taskOrder) {
  const entries = index.filter((e) => e.task === task).sort((a, b) => a.var - b.var);
  counts.push(entries.length);
  for (const e of entries) writeVariation(variations, e);
}
const sections = [];
const section = (write) => {
  const w = new Writer();
  write(w);
  w.pad(8);
  sections.push(w.done());
};
section(writeMaterials); // 0
section(writeClasses); // 1
section(writePlantNames); // 2
section(writeUnknowns); // 3
section((w) => { // 4: pictures and books
  for (const s of subjects) w.u16(id(s));
  for (const a of artists) w.u16(id(a));
  for (const b of [...books].sort((x, y) => x.draw - y.draw)) {
    w.u16(classId.get(b.class)); w.u16(id(b.title)); w.u16(id(b.author)); w.u16(id(b.contents));
  }
});
section((w) => { // 5: tasks: count, first variation, name
  let first = 0;
  taskOrder.forEach((t, i) => { w.u32(counts[i]); w.u32(first); w.u32(id(t)); first += counts[i]; });
});
section((w) => w.raw(variations.done())); // 6
section((w) => w.raw(pool.done())); // 7
section((w) => { // 8: stage names
  for (const s of stages) w.u16(id(s));
});
const textTable = (list) => (w) => {
  const blobs = list.map((s) => Buffer.from(s));
  w.u32(list.length);
  let at = 4 + 4 * (list.length + 1);
  for (const b of blobs) { w.u32(at); at += b.length; }
  w.u32(at);
  for (const b of blobs) w.raw(b);
};
section(textTable([...strings.keys()])); // 9
section(textTable([...words.keys()])); // 10
if (strings.size > 65535) throw new Error('too many strings');

const out = new Writer();
out.u32(sections.length);
let at = Math.ceil((4 + 4 * sections.length) / 8) * 8;
for (const s of sections) { out.u32(at); at += s.length; }
out.pad(8);
for (const s of sections) out.raw(s);
writeFileSync(join(here, 'tables.bin'), gzipSync(out.done(), { level: 9 }));

const ids = ['// Generated by generate.mjs: do not edit. Long because each class, string and goal that the sources name has a line.'];
for (const c of classes) ids.push(`export const C_${c.class}: i32 = ${classId.get(c.class)};`);
for (const m of materials) ids.push(`export const M_${m.class.replace(/Prop$/, '')}: i32 = ${materialId.get(m.class)};`);
for (const [name, bit] of Object.entries(family)) ids.push(`export const F_${name}: i32 = ${bit};`);
stages.forEach((s, i) => { if (s) ids.push(`export const STAGE_${s}: i32 = ${i};`); });
goalKinds.forEach((g, i) => { if (g) ids.push(`export const G_${g}: i32 = ${i};`); });
const wanted = [...named, ...['peanut butter', 'jam', 'banana', 'peanut butter with jam', 'peanut butter with banana'].map((s) => `${s} sandwich`), ...colours.flatMap((c) => [`${c} light bulb`, `${c} wire`, `${c} paper`])];
for (const name of new Set(wanted)) ids.push(`export const S_${constant(name)}: i32 = ${id(name)};`);
writeFileSync(join(here, 'ids.ts'), `${ids.join('\n')}\n`);
console.log(`${strings.size} strings, ${words.size} words, ${classes.length} classes, ${index.length} variations, ${out.length} bytes`);
