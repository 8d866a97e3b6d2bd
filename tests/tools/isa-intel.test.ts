import { describe, expect, it } from 'vitest';
import { intelFamilies, isIntel, readIntel } from '../../tools/isa/intel.ts';
import { RecordingDevice } from '../../tools/isa/recording-device.ts';

const statistics = (lanes: number) => `executable compute subgroup ${lanes}
stat Instruction Count = 20
stat Cycle Count = 360
stat Spill Count = 3
stat Fill Count = 4
stat Scratch Memory Size = 1024
stat Max live registers = 131
stat Workgroup Memory Size = 8192
@@@ Final NIR
while(16) JIP: LABEL1
`;

/** A loop of one multiply-add in 8-lane halves, with an inner loop of two in 16 lanes, as ANV prints it for Xe-LP. */
const xeLp = `${statistics(16)}@@@ GEN Assembly
mov(16)         g26<1>UD        g28<8,8,1>UW                    { align1 1H };

LABEL2:
sync nop(1)                     null<0,1,0>UB                   { align1 WE_all 1N @1 };
mad(8)          g5<1>F          g59<8,8,1>F     g7<8,8,1>F      g39<1,1,1>F { align1 1Q };
mad(8)          g6<1>F          g59<8,8,1>F     g7<8,8,1>F      g39<1,1,1>F { align1 2Q };

LABEL1:
(+f0.0) break(16) JIP:  LABEL0        UIP:  LABEL0              { align1 1H };
send(16)        g77UD           g79UD           nullUD          0x022803fd                0x00000000
                            dp data 1 MsgDesc: (DC untyped surface read, Surface = 254, SIMD16, Mask = 0x8)  mlen 2 ex_mlen 0 rlen 6 { align1 1H $3 };
send(16)        g77UD           g79UD           nullUD          0x022803fd                0x00000000
                            dp data 1 MsgDesc: (DC untyped surface read, Surface = 2, SIMD16, Mask = 0x0)  mlen 2 ex_mlen 0 rlen 8 { align1 1H $3 };
mad(16)         g95<1>F         g59<8,8,1>F     g7<8,8,1>F      g39<1,1,1>F { align1 1H $15.dst };
(+f0.0) mad(16) g97<1>F         g61<8,8,1>F     g15<8,8,1>F     g39<1,1,1>F { align1 1H I@5 };
mad(16)         g97<1>D         g61<8,8,1>D     g15<8,8,1>W     g39<1,1,1>W { align1 1H I@5 };

LABEL0:
while(16)       JIP:  LABEL1                                    { align1 1H };
while(16)       JIP:  LABEL2                                    { align1 1H };
`;

/** A turn of Xe2: one multiply-add of 32 lanes, and reads of four and of two values from workgroup memory. */
const xe2 = `${statistics(32)}@@@ GEN Assembly
LABEL1:
send(32)        g33UD           g55UD           nullUD          0x04803500                0x00000000
                            slm MsgDesc: ( load, a32, d32, V4, L1STATE_L3MOCS dst_len = 8, src0_len = 2, src1_len = 0 flat )  base_offset 0  { align1 F@1 $12 };
send(32)        g33UD           g55UD           nullUD          0x04803500                0x00000000
                            slm MsgDesc: ( load_cmask, a32, d32, xy, L1STATE_L3MOCS dst_len = 4, src0_len = 2, src1_len = 0 flat )  base_offset 0  { align1 F@1 $12 };
send(32)        g1UD            g57UD           nullUD          0x64803500                0x03000000
                            ugm MsgDesc: ( load, a32, d32, V4, L1STATE_L3MOCS dst_len = 8, src0_len = 2, src1_len = 0 bti )  BTI 3  base_offset 0  { align1 A@1 $5 };
mad(32)         g95<1>F         g59<8,8,1>F     g7<8,8,1>F      g39<1,1,1>F { align1 $14.dst };
while(32)       JIP:  LABEL1                                    { align1 };
`;

describe('what ANV compiled', () => {
  it('is read as its statistics and the loop with the most multiply-adds', () => {
    const code = readIntel(xeLp, intelFamilies.adl.lanes);
    expect(code).toMatchObject({ lanes: 16, instructions: 20, spills: 3, fills: 4, scratchBytes: 1024, live: 131 });
    expect(code).toMatchObject({ ldsBytes: 8192, cycles: 360 });
    // Two clocks for 16 lanes: break, three multiply-adds and while; one for each of two sends. Three values are read.
    expect(code.loop).toEqual({ fma: 2, fmaClocks: 4, clocks: 12, ldsBytes: 12 });
  });

  it('has the clocks and the messages of Xe2', () => {
    const { lanes, loop } = readIntel(xe2, intelFamilies.lnl.lanes);
    expect(lanes).toBe(32);
    expect(loop).toEqual({ fma: 1, fmaClocks: 2, clocks: 7, ldsBytes: 24 });
  });

  it('has no loop where none multiplies and adds', () => {
    expect(readIntel(xe2.replace('mad(32)', 'mul(32)'), 16).loop).toBeNull();
  });
});

describe('a GPU of Intel', () => {
  it('is told from one of AMD by its family', () => {
    expect(['adl', 'navi33'].map(isIntel)).toEqual([true, false]);
  });

  it('is recorded with its own smallest subgroup', () => {
    expect(new RecordingDevice({ subgroupMinSize: 8 }).info.subgroupMinSize).toBe(8);
    expect(new RecordingDevice().info.subgroupMinSize).toBe(32);
  });
});
