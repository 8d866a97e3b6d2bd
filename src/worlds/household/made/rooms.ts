/** Rooms of made houses: receptacles that a room always has, those it may have with their largest numbers, its objects. */

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

export type RoomName = 'kitchen' | 'living room' | 'bedroom' | 'bathroom';

export interface Room {
  name: RoomName;
  always: readonly string[];
  /** Largest number of each further receptacle. */
  further: { readonly [receptacle: string]: number };
  objects: readonly string[];
  lamp: string | null;
}

export const rooms: readonly Room[] = [
  {
    name: 'kitchen',
    always: ['fridge', 'microwave', 'sinkbasin', 'countertop', 'cabinet'],
    further: {
      cabinet: 12,
      coffeemachine: 1,
      countertop: 2,
      diningtable: 1,
      drawer: 8,
      garbagecan: 1,
      shelf: 3,
      sidetable: 1,
      stoveburner: 4,
    },
    objects: words(`apple bowl bread butterknife cup dishsponge egg fork glassbottle kettle knife ladle lettuce mug pan
      peppershaker plate pot potato saltshaker soapbottle spatula spoon tomato vase winebottle`),
    lamp: null,
  },
  {
    name: 'living room',
    always: ['sofa', 'coffeetable', 'drawer'],
    further: {
      armchair: 2,
      cabinet: 6,
      diningtable: 1,
      drawer: 7,
      dresser: 1,
      garbagecan: 1,
      ottoman: 1,
      safe: 1,
      shelf: 6,
      sidetable: 2,
      tvstand: 1,
    },
    objects: words(`book box candle cellphone creditcard keychain laptop newspaper pen pencil pillow plate remotecontrol
      statue tissuebox vase watch wateringcan`),
    lamp: 'floorlamp',
  },
  {
    name: 'bedroom',
    always: ['bed', 'desk', 'drawer'],
    further: {
      armchair: 1,
      dresser: 2,
      drawer: 10,
      garbagecan: 1,
      laundryhamper: 1,
      safe: 1,
      shelf: 8,
      sidetable: 2,
    },
    objects: words(
      'alarmclock book bowl cd cellphone cloth creditcard keychain laptop mug pen pencil pillow tissuebox watch',
    ),
    lamp: 'desklamp',
  },
  {
    name: 'bathroom',
    always: ['sinkbasin', 'toilet', 'cabinet'],
    further: {
      bathtubbasin: 1,
      cabinet: 6,
      cart: 1,
      countertop: 2,
      drawer: 6,
      garbagecan: 1,
      handtowelholder: 2,
      shelf: 4,
      sidetable: 1,
      toiletpaperhanger: 1,
    },
    objects: words('candle cloth dishsponge handtowel plunger soapbar soapbottle spraybottle tissuebox toiletpaper'),
    lamp: null,
  },
];

export const roomNamed = (name: RoomName): Room => rooms.find((room) => room.name === name)!;
