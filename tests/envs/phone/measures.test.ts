// Measures of a step: the reward's parts at their bounds, and MagicGUI's Type, Grd and SR by its evaluator's rules.
import { expect, it } from 'vitest';
import { editDistance, measureStep, rowOf, stepReward, wordF1 } from '../../../src/worlds/phone/measures.ts';
import { readSteps } from '../../../src/worlds/phone/records.ts';

it('adds format, accuracy and distance', () => {
  expect(stepReward('tap(500,500)', 'tap(500,500)')).toEqual({ format: 1, accuracy: 2, distance: 0, total: 3 });
  expect(stepReward('tap(570,500)', 'tap(500,500)')).toEqual({ format: 1, accuracy: 2, distance: -1, total: 2 });
  expect(stepReward('tap(640,500)', 'tap(500,500)')).toEqual({ format: 1, accuracy: 2, distance: -2, total: 1 });
  expect(stepReward('tap(641,500)', 'tap(500,500)')).toEqual({ format: 1, accuracy: 0, distance: -2, total: -1 });
  expect(stepReward('wait()', 'tap(500,500)').total).toBe(1);
  expect(stepReward('wait(', 'wait()').total).toBe(0);
  expect(stepReward('drag(175,200,300,200)', 'drag(100,200,300,200)').accuracy).toBe(2);
  expect(stepReward('drag(176,200,300,200)', 'drag(100,200,300,200)').accuracy).toBe(0);
  expect(stepReward('text(5,5,on the way)', 'text(5,5,on my way)').accuracy).toBe(2);
  expect(stepReward('text(5,5,on it)', 'text(5,5,by my way)').accuracy).toBe(0);
  expect(stepReward('call_api(shop,kill)', 'call_api(shop,open)').accuracy).toBe(0);
  expect(stepReward('scroll(5,5,up)', 'scroll(5,5,down)').accuracy).toBe(0);
});

it('measures texts by words and by letters', () => {
  expect(wordF1('a b', 'b c')).toBeCloseTo(0.5, 12);
  expect(wordF1('', '')).toBe(0);
  expect(editDistance('kitten', 'sitting')).toBeCloseTo(3 / 7, 12);
  expect(editDistance('', '')).toBe(0);
});

it('measures type, grounding and match', () => {
  expect(measureStep('tap(640,500)', 'tap(500,500)')).toEqual({ type: true, grounding: true, match: true });
  expect(measureStep('tap(641,500)', 'tap(500,500)')).toEqual({ type: true, grounding: false, match: false });
  // The evaluator compares points of different types too.
  expect(measureStep('long_press(500,500)', 'tap(500,500)')).toEqual({ type: false, grounding: true, match: false });
  expect(measureStep('text(5,5,bring the tent)', 'text(5,5,bring the tents)').match).toBe(true);
  expect(measureStep('text(5,5,tent)', 'text(5,5,bring the tents)').match).toBe(false);
  expect(measureStep('wait()', 'wait()')).toEqual({ type: true, grounding: null, match: true });
  expect(measureStep('nonsense', 'wait()')).toEqual({ type: false, grounding: null, match: false });
  const row = rowOf([measureStep('wait()', 'wait()'), measureStep('tap(641,500)', 'tap(500,500)')]);
  expect(row).toEqual({ steps: 2, type: 100, grounding: 0, success: 50 });
});

it('reads recorded steps: our own, and MagicGUI’s with points or boxes', () => {
  const file = [
    { column: 'routine', truth: 'tap(5,6)', prediction: 'tap(5,7)' },
    { images: ['a.jpg'], query: 'Open it', response: 'tap(500,120)', prediction: 'tap(500,260)', category: 'Routine' },
    { query: 'Open it', response: 'tap(400,100,600,140)', prediction: 'tap(599,139)', split: 'Instruction' },
    { response: 'text(400,100,600,140,on my way)', prediction: 'text(700,120,on my way)' },
    { response: 'tap(<|box_start|>(400,99.9),(600,140.3)<|box_end|>)', prediction: 'tap(400,140)' },
    {
      response: 'drag(<|box_start|>(0,0),(20,20)<|box_end|>,<|box_start|>(800,0),(820,20)<|box_end|>)',
      prediction: 'drag(0,20,821,0)',
    },
    { response: 'text(500,120,12)', prediction: 'text(500,120,12)' },
    { response: 'action_completed()', prediction: 'finish()' },
  ];
  const steps = readSteps(`${file.map((each) => JSON.stringify(each)).join('\n')}\n`);
  expect(steps.map(({ column, truth, boxes }) => [column, truth, boxes])).toEqual([
    ['routine', 'tap(5,6)', undefined],
    ['Routine', 'tap(500,120)', undefined],
    ['Instruction', 'tap(500,120)', [[400, 100, 600, 140]]],
    ['steps', 'text(500,120,on my way)', [[400, 100, 600, 140]]],
    ['steps', 'tap(500,120.1)', [[400, 99.9, 600, 140.3]]],
    [
      'steps',
      'drag(10,10,810,10)',
      [
        [0, 0, 20, 20],
        [800, 0, 820, 20],
      ],
    ],
    ['steps', 'text(500,120,12)', undefined],
    ['steps', 'action_completed()', undefined],
  ]);
  const matches = steps.map(({ prediction, truth, boxes }) => measureStep(prediction, truth, boxes).match);
  // By a point 140 away matches; by a box a point outside does not, however near.
  expect(matches).toEqual([true, true, true, false, true, false, true, true]);
  expect(() => readSteps('{"prediction":"tap(1,2)"}')).toThrow(/Line 1 is not a step: it needs/);
  expect(() => readSteps('\n{"response":"jump()","prediction":""}')).toThrow(/Line 2 is not a step: "jump"/);
});
