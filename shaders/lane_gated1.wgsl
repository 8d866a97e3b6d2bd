// The gate and up product of SwiGLU that writes its activation, too: activated[m, i] = silu(out[m, i]) * out[m, I + i] with
// I = N / 2. Half of a thread's columns are gates, half the ups of the same places, and one lane gets the sums of both. It
// needs an even number of COLUMNS, and HAS_RESIDUAL 0, because `activated` takes the binding of the residual.
// Constants: PAIRS, gates of a lane; EACH = 2 PAIRS.
@group(0) @binding(5) var<storage, read_write> activated: array<f32>;
var<private> residual: array<f32, 1>;
const HALF = COLUMNS / 2u;
// The sums of ups begin here, so that those of a gate and its up have the same remainder by LANES.
const UPS = PAIRS * LANES;
const SUMS = 2u * UPS;

fn column_of(first: u32, c: u32) -> u32 {
  let I = p.N / 2u;
  return min(first / 2u + c % HALF, I - 1u) + c / HALF * I;
}
fn number_of(i: u32, c: u32) -> u32 { return c / HALF * UPS + i * HALF + c % HALF; }
