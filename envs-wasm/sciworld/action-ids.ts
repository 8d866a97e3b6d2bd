/** Numbers of the twenty-seven actions. */

export const A_OPEN: i32 = 0;
export const A_CLOSE: i32 = 1;
export const A_GO: i32 = 2;
export const A_TELEPORT: i32 = 3;
export const A_LOOK: i32 = 4;
export const A_LOOK_AT: i32 = 5;
export const A_LOOK_IN: i32 = 6;
export const A_ACTIVATE: i32 = 7;
export const A_DEACTIVATE: i32 = 8;
export const A_EAT: i32 = 9;
export const A_MOVE: i32 = 10;
export const A_POUR: i32 = 11;
export const A_FOCUS: i32 = 12;
export const A_RESET: i32 = 13;
export const A_USE: i32 = 14;
export const A_READ: i32 = 15;
export const A_FLUSH: i32 = 16;
export const A_CONNECT: i32 = 17;
export const A_DISCONNECT: i32 = 18;
export const A_WAIT1: i32 = 19;
export const A_WAIT: i32 = 20;
export const A_INVENTORY: i32 = 21;
export const A_PICK_UP: i32 = 22;
export const A_PUT_DOWN: i32 = 23;
export const A_MIX: i32 = 24;
export const A_TASK: i32 = 25;
export const A_DUNK: i32 = 26;

export const ACTIONS: i32 = 27;
