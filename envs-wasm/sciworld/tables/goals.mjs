// The subgoals of each task, as functions of the parameters of its variation (`v`: the task values of world-index).
// Each goal: {goal, a, b, list, num, flags, key, requires, text}. generate.mjs checks them against
// json/goals_by_task.jsonl.

const find = (a, text, defocus = false) => ({ goal: 'Find', a, defocus, text });
const inRoom = (a, text, key = '', requires = []) => ({ goal: 'InRoomWithObject', a, text, key, requires });
const single = (list, text) => ({ goal: 'ObjectsInSingleContainer', list, text });
const direct = (a, list, text, key = '', requires = []) => ({
  goal: 'SpecificObjectInDirectContainer', a, list, text, key, requires,
});
const moveTo = (a, text, key = '', requires = []) => ({ goal: 'MoveToLocation', a, text, key, requires });
const moveNew = (a, text) => ({ goal: 'MoveToNewLocation', a, text });
const inContainer = (a, text, requires = []) => ({ goal: 'ObjectInContainer', a, text, requires });
const state = (a, text, combustion = false) => ({ goal: 'ChangeStateOfMatter', a, combustion, text });
const use = (a, b, text, requires = []) => ({ goal: 'PastActionUseObjectOnObject', a, b, text, requires });

const heaters = ['stove', 'blast furnace', 'oven', 'hot plate'];
const heating = (requires) => [
  ...heaters.map((d) => ({ goal: 'ActivateDeviceWithName', a: d, text: `activate heater (${d})` })),
  direct('inventory', ['lighter'], 'have lighter in inventory'),
  direct('fire pit', ['wood'], 'move wood into fire pit', 'wood1'),
  { goal: 'TemperatureOnFire', a: 'wood', text: 'ignite wood', key: 'ignite', requires: ['wood1'] },
  ...[...heaters, 'fire pit'].map((d) => inContainer(d, `have object on heater (${d})`, requires)),
];
const coolers = () => ['fridge', 'freezer'].map((d) => inContainer(d, `have object in cooler (${d})`));
const warmer = (num, key = '', requires = []) => ({
  goal: 'TemperatureIncrease', num, text: `heat object by at least ${num}C`, key, requires,
});
const cooler = (num) => ({ goal: 'TemperatureDecrease', num, text: `cool object by at least ${num}C` });

const changes = {
  boil: [state('liquid', 'substance is in a liquid state'), state('gas', 'substance is in a gaseous state (or combusting)', true)],
  melt: [state('solid', 'substance is in a solid state'), state('liquid', 'substance is in a liquid state')],
  freeze: [state('liquid', 'substance is in a liquid state'), state('solid', 'substance is in a solid state')],
  'change-the-state-of-matter-of': [
    { goal: 'IsStateOfMatter', text: '' }, { goal: 'IsDifferentStateOfMatter', text: '' },
  ],
};
const matter = (task) => (v) => {
  const optional = [
    inRoom(v.objectName, `be in same location as ${v.objectName}`),
    single([v.objectName], 'have substance alone in a single container'),
  ];
  const change = task === 'change-the-state-of-matter-of';
  if (task === 'freeze') optional.push(...coolers(), cooler(5));
  else if (change) optional.push(...heating(), ...coolers(), warmer(10), cooler(10));
  else optional.push(...heating(), warmer(20));
  return { ordered: [find(v.objectName, 'focus on substance'), ...changes[task]], optional };
};

const thermometer = (v) => ({
  ordered: [
    find(v.instrumentName, 'focus on instrument', true),
    find(v.objectName, 'focus on object'),
    { goal: 'ContainerByTemperature', num: v.temperaturePoint, a: v.boxAbove, b: v.boxBelow,
      text: 'move object to correct answer box' },
  ],
  optional: [
    inRoom(v.instrumentName, 'be in same location as thermometer'),
    direct('inventory', [v.instrumentName], 'have thermometer in inventory'),
    moveNew('', 'move to a new location'),
    moveTo(v.location, 'move to the location asked by the task (object location)', 'move1'),
    moveTo(v.locationAnswerBox, 'move to the location asked by the task (answer box location)', 'move2', ['move1']),
    direct('inventory', [v.objectName], 'have task object in inventory'),
    use(v.instrumentName, v.objectName, 'use instrument on object'),
    use(v.instrumentName, v.objectName, 'use instrument on object (in answer box location)', ['move2']),
  ],
});

const melting = (v) => ({
  ordered: [
    find(v.instrumentName, 'focus on instrument', true),
    { ...find(v.objectName, 'focus on substance'), key: 'focusObject' },
    { goal: 'FindAnswerBox', a: v.meltingPoint >= v.temperaturePoint ? v.boxAbove : v.boxBelow,
      text: 'focus on answer box' },
  ],
  optional: [
    inRoom(v.instrumentName, 'be in same location as thermometer'),
    direct('inventory', [v.instrumentName], 'have thermometer in inventory'),
    moveNew('', 'move to a new location'),
    moveTo(v.location, 'move to the location asked by the task (object location)', 'move1'),
    moveTo(v.locationAnswerBox, 'move to the location asked by the task (answer box location)', 'move1'),
    moveTo('kitchen', 'move to kitchen', 'move2a', ['move1']),
    moveTo('outside', 'move to outside', 'move2b', ['move1']),
    moveTo('foundry', 'move to foundry', 'move2c', ['move1']),
    direct('inventory', [v.objectName], 'have task object in inventory'),
    use(v.instrumentName, v.objectName, 'use instrument on object'),
    use(v.instrumentName, v.objectName, 'use instrument on object (after heating)', ['heatObject']),
    single([v.objectName], 'have substance alone in a single container'),
    ...heating(['focusObject']),
    warmer(20, 'heatObject', ['focusObject']),
  ],
});

const wired = (a, which, text) => ({ goal: 'ObjectConnectedToWire', a, num: which, text });
const power = (renewable) => (v, index) => {
  const part = v.componentToPower;
  const source = index % 2 === 0 ? v.renewableSource : v.nonrenewableSource;
  const ordered = [
    find(part, 'focus on task object'), { goal: 'ActivateDevice', a: part, text: 'power task object' },
  ];
  if (renewable) ordered.push({ goal: 'ElectricallyConnected', a: source, text: 'use correct power source' });
  return {
    ordered,
    optional: [
      moveNew('', 'move to a new location'),
      inRoom(part, 'be in same location as part to power'),
      wired(part, 1, "connect the task object's (terminal1/anode) to a wire"),
      wired(part, 2, "connect the task object's (terminal2/cathode) to a wire"),
      { goal: 'WireConnectsObjectAndAnyPowerSource', a: part, b: renewable ? source : '',
        text: 'task object is at least partially connected to power source through wire' },
    ],
  };
};

const conductivity = (v) => {
  const name = v.substance ?? v.unknownSubstance;
  const conductive = v.isConductive ?? v.unknownIsConductive;
  const [right, wrong] = conductive ? [v.conductive, v.nonconductive] : [v.nonconductive, v.conductive];
  return {
    ordered: [
      find(name, 'focus on task object'),
      { goal: 'ObjectInContainerByName', a: right, list: [wrong], text: 'put object in correct container' },
    ],
    optional: [
      moveNew('', 'move to a new location'),
      inRoom(name, 'be in same location as part to power'),
      wired(name, 1, "connect the task object's (terminal1/anode) to a wire"),
      wired(name, 2, "connect the task object's (terminal2/cathode) to a wire"),
      { goal: 'WireConnectsObjectAndAnyPowerSource', a: name, b: '',
        text: 'task object is at least partially connected to power source through wire' },
      { goal: 'WireConnectsObjectAndAnyLightBulb', a: name, b: '',
        text: 'task object is at least partially connected to a light bulb through wire' },
      { goal: 'WireConnectsPowerSourceAndAnyLightBulb',
        text: 'light bulb is at least partially connected to a power source through wire' },
    ],
  };
};

const finding = (goal, text) => (v) => ({
  ordered: [{ goal, text: `focus on a ${text}` }, inContainer(v.answerBox, 'move thing to answer box')],
  optional: [
    inContainer('inventory', 'pick up object'),
    { goal: 'InRoomWithOpenDoor', text: 'be in a room with an open door' },
    moveNew('', 'move to a new location'),
    moveTo(v.location, 'move to the location of the answer box'),
  ],
});

const stages = ['seed', 'seedling', 'adult', 'reproducing'];
const names = (text) => text.split(',');
const gardening = (seed, pots, withTools) => [
  inRoom('seed jar', 'be in same location as seed jar'),
  direct('inventory', ['seed jar'], 'have seed jar in inventory', 'haveSeedJar'),
  ...(withTools
    ? [
        direct('inventory', ['shovel'], 'have shovel in inventory'),
        direct('inventory', ['soil'], 'have soil in inventory'),
        inRoom('soil', 'be in same location as soil'),
      ]
    : []),
  moveNew('', 'move to a new location'),
  moveTo('greenhouse', 'move to the greenhouse', 'move1'),
  moveTo('greenhouse', 'move to the greenhouse (after having seed jar)', 'move2', ['haveSeedJar']),
  ...pots.map((p, i) => direct(p, ['soil'], `have soil in flower pot (${i + 1})`)),
  ...pots.map((p, i) => direct(p, ['water'], `have water in flower pot (${i + 1})`)),
  ...pots.map((p, i) => direct(p, [`${seed} seed`], `have seed in flower pot (${i + 1})`)),
];
const growing = (seed, most) =>
  Array.from({ length: most }, (_, i) => i + 1).flatMap((k) =>
    stages.map((stage) => ({
      goal: 'LifeStageAnywhere', a: seed, b: stage, num: k, text: `have at least ${k} plants (${stage})`,
      key: stage === 'reproducing' ? `atLeast${k}Reproducing` : '',
    })),
  );
const pollinating = (fruit, text, requires) => [
  { goal: 'ContainerOpen', a: 'bee hive', text: 'bee hive open', requires },
  inRoom('adult bee', 'be in same location as pollinator (after reproducing stage)', '', ['atLeast2Reproducing']),
  inRoom(fruit, text, '', requires),
];
const growPlant = (v) => ({
  ordered: stages.map((b) => ({ goal: 'LifeStage', a: v.seedType, b, text: `plant in ${b} stage` })),
  optional: gardening(v.seedType, names(v.containerNames), true),
});
const growFruit = (v) => ({
  ordered: [find(v.seedType, 'focus on the grown fruit')],
  optional: [
    ...gardening(v.seedType, names(v.containerNames), true), ...growing(v.seedType, 2),
    ...pollinating(v.seedType, 'be in same location as grown fruit', []),
  ],
});
const genetics = (v) => ({
  ordered: [find(v.domOrRec === 'dominant' ? v.answerBoxDom : v.answerBoxRec, 'focus on the correct answer box', true)],
  optional: [
    ...gardening(v.seedType, names(v.flowerPotNames), false), ...growing(v.seedType, 6),
    ...pollinating(v.seedType, 'be in same location as grown seed', ['atLeast2Reproducing']),
  ],
});

const chemistry = (v) => {
  const inputs = names(v.inputChemicals);
  return {
    ordered: [find(v.result, `focus on result chemical (${v.result})`)],
    optional: [
      moveNew('', 'move to a new location'),
      ...inputs.map((n) => inRoom(n, `be in same location as ${n}`)),
      single(inputs, 'have all ingredients alone in a single container'),
      inRoom(v.result, `be in same location as ${v.result}`),
      { goal: 'PastActionReadObject', a: 'recipe', text: 'read recipe' },
    ],
  };
};
const secondary = (v) => {
  const inputs = names(v.inputChemicalsSecondary);
  return {
    ordered: [find(v.secondaryColor, `focus on the mixing result (${v.secondaryColor})`)],
    optional: [
      moveNew('', 'move to a new location'),
      ...inputs.map((n) => inRoom(n, `be in same location as ${n}`)),
      single(inputs, 'have all ingredients alone in a single container'),
      inRoom(v.secondaryColor, `be in same location as ${v.secondaryColor}`),
    ],
  };
};
const tertiary = (v) => {
  const inputs = names(v.inputChemicalsSecondary);
  const second = names(v.inputChemicalsTertiary);
  return {
    ordered: [
      find(v.secondaryColor, `focus on the intermediate mixing result (${v.secondaryColor})`, true),
      find(v.tertiaryColor, `focus on the final mixing result (${v.tertiaryColor})`),
    ],
    optional: [
      moveNew(v.location, 'move to a new location (unless starting in task location)'),
      moveTo(v.location, 'move to the location of the paint'),
      ...inputs.map((n) => inRoom(n, `be in same location as ${n}`)),
      single(inputs, 'have all ingredients (secondary) alone in a single container'),
      inRoom(v.secondaryColor, `be in same location as (secondary) ${v.secondaryColor}`, 'secondary'),
      ...second.map((n) => inRoom(n, `be in same location as (tertiary) ${n}`, `tertiary_${n}`, ['secondary'])),
      single(second, 'have all ingredients (tertiary) alone in a single container'),
      inRoom(v.tertiaryColor, `be in same location as ${v.tertiaryColor}`),
    ],
  };
};

const outdoors = (unless) => [
  moveNew(unless, 'move to a new location (unless starting in task location)'),
  moveTo('outside', 'move to the location asked by the task'),
];
const lifespan = (which) => (v) => ({
  ordered: which.map((k, i) => find(v[k], `focus on ${k}est lived animal`, i < which.length - 1)),
  optional: outdoors('outside'),
});
const lifeStages = (name, unless) => (v) => ({
  ordered: ['stage1', 'stage2', 'stage3', 'stage4'].filter((k) => v[k]).map((k) => ({
    goal: 'FindLivingThingStage', a: v[name], b: v[k], defocus: true, text: `focus on ${v[name]} in ${v[k]} stage`,
  })),
  optional: [
    ...outdoors(unless ?? v[name]),
    ...[10, 20, 30].map((num) => ({ goal: 'StayInLocation', a: 'outside', num, text: `wait ${num} steps outside` })),
  ],
});

const planeTrial = (v, plane, k) => [
  direct(plane, [v.blockName], `move block to plane ${k}`, `b${k}`),
  { goal: 'ActivateDeviceWithName', a: v.timeDeviceName, text: `start timing (plane ${k})`, key: `aTime${k}`, requires: [`b${k}`] },
  { goal: 'DeactivateDeviceWithName', a: v.timeDeviceName, text: `stop timing (plane ${k})`, key: `dTime${k}`, requires: [`aTime${k}`] },
  { goal: 'PastActionExamineObject', a: v.timeDeviceName, text: `read the time (plane ${k})`, key: `readTime${k}`, requires: [`dTime${k}`] },
];
const planes = (goal, answer) => (v) => ({
  ordered: [{ goal, a: answer(v), defocus: true, text: 'focus on the correct plane' }],
  optional: [
    moveNew('workshop', 'move to a new location (unless starting in task location)'),
    moveTo('workshop', 'move to the location asked by the task'),
    ...planeTrial(v, v.planeName1, 1), ...planeTrial(v, v.planeName2, 2),
  ],
});
const friction = planes('FindInclinedPlane', (v) => (v.mode === 'most' ? v.mostFriction : v.leastFriction));

export const goalsOf = {
  boil: matter('boil'),
  melt: matter('melt'),
  freeze: matter('freeze'),
  'change-the-state-of-matter-of': matter('change-the-state-of-matter-of'),
  'use-thermometer': thermometer,
  'measure-melting-point-known-substance': melting,
  'measure-melting-point-unknown-substance': melting,
  'power-component': power(false),
  'power-component-renewable-vs-nonrenewable-energy': power(true),
  'test-conductivity': conductivity,
  'test-conductivity-of-unknown-substances': conductivity,
  'find-living-thing': finding('FocusOnLivingThing', 'living thing'),
  'find-non-living-thing': finding('FocusOnNonlivingThing', 'non-living thing'),
  'find-plant': finding('FocusOnPlant', 'plant'),
  'find-animal': finding('FocusOnAnimal', 'n animal'),
  'grow-plant': growPlant,
  'grow-fruit': growFruit,
  'chemistry-mix': chemistry,
  'chemistry-mix-paint-secondary-color': secondary,
  'chemistry-mix-paint-tertiary-color': tertiary,
  'lifespan-longest-lived': lifespan(['long']),
  'lifespan-shortest-lived': lifespan(['short']),
  'lifespan-longest-lived-then-shortest-lived': lifespan(['long', 'short']),
  'identify-life-stages-1': lifeStages('animal', 'outside'),
  'identify-life-stages-2': lifeStages('livingThingName'),
  'inclined-plane-determine-angle': planes('FindInclinedPlaneNamed', (v) =>
    v.mode === 'steepest' ? v.steepestAngle : v.shallowestAngle),
  'inclined-plane-friction-named-surfaces': friction,
  'inclined-plane-friction-unnamed-surfaces': friction,
  'mendelian-genetics-known-plant': genetics,
  'mendelian-genetics-unknown-plant': genetics,
};
