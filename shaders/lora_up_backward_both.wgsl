// lora_up_backward and lora_up_backward_weight in one pass over dout. A thread keeps four rows of B and their gradient
// in registers, and reads the same four columns of dout for TOKENS tokens a turn; the products of a token with B are
// summed over the 64 threads of a workgroup, which thus has the sums of 256 rows of B. lora_sum_blocks adds those of
// all workgroups of a part, reduce_partials the chunks of tokens.
// Shapes: dout (T, stride), B (N, rank), mid (T, width), blocks (S, T, width), partials (chunks, N, rank); the stride and
// every part's rows and first column are multiples of four, and every part has S blocks of 256 rows.
// Constants: FOURS, the rank in fours (1, 2 or 4); VECTORS = 4 FOURS, of a turn; SHARE = 64 / VECTORS. Workgroup memory:
// 1024 VECTORS bytes.
// @registers many
// @include grid
// @include lora
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> dout: array<vec4f>;
@group(0) @binding(2) var<storage, read> B: array<vec4f>;
@group(0) @binding(3) var<storage, read> mid: array<vec4f>;
@group(0) @binding(4) var<storage, read_write> blocks: array<vec4f>;
@group(0) @binding(5) var<storage, read_write> partials: array<vec4f>;
var<workgroup> sums: array<vec4f, 64u * VECTORS>;

@compute @workgroup_size(64)
fn lora_up_backward_both(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) thread: u32) {
  let Q = p.width / 4u;
  let stride = p.stride / 4u;
  let S = (p.end0 + 255u) / 256u;
  let across = p.width / p.rank * S;
  let tile = linear_workgroup(wg, count);
  let s = tile / across;
  let start = s * p.chunk;
  if (start >= p.T) { return; }
  let end = min(start + p.chunk, p.T);
  let part = tile % across / S;
  let block = tile % across % S;
  let begin = select(select(p.end1, p.end0, part == 1u), 0u, part == 0u);
  let last = select(select(p.N, p.end1, part == 1u), p.end0, part == 0u) - 4u;
  let n = begin + (block * 64u + thread) * 4u;
  // A thread past the part's rows repeats the last ones, with zeros for B; its gradients are computed but not stored.
  let inside = n <= last;
  let own = min(n, last);
  let column = column_of(own) / 4u;
  let q = part * FOURS;
  // @repeat f FOURS
  // @repeat c 4
  let b$c_$f = select(vec4f(), B[(own + $cu) * FOURS + $fu], inside);
  var acc$c_$f = vec4f();
  // @end
  // @end
  // Tokens past the chunk repeat its last one; their products are zero or not stored.
  // @repeat u 4
  var d$u = dout[min(start + $uu, end - 1u) * stride + column];
  // @end
  // The vector v of a thread lies at v * 64 + (thread + 4 v) % 64, so that different vectors are read from different banks.
  // The indices are written out and end in remainders, which prove to the browser's compiler that they are in range.
  // This thread adds those of the threads x, x + SHARE, ... of a vector.
  let v = thread / SHARE % VECTORS;
  let x = thread % SHARE;
  let first = x + 4u * v;
  for (var t = start; t < end; t += 4u) {
    // @repeat u 4
    let e$u = select(vec4f(), d$u, t + $uu < end);
    let row$u = min(t + $uu, end - 1u) * Q + q;
    d$u = dout[min(t + 4u + $uu, end - 1u) * stride + column];
    // @repeat f FOURS
    let m$u_$f = mid[row$u + $fu];
    // @repeat c 4
    acc$c_$f = fma(vec4f(e$u[$c]), m$u_$f, acc$c_$f);
    // @end
    sums[($uu * FOURS + $fu) * 64u + (thread + ($uu * FOURS + $fu) * 4u) % 64u] = fma(vec4f(e$u.w), b3_$f, fma(vec4f(e$u.z), b2_$f, fma(vec4f(e$u.y), b1_$f, e$u.x * b0_$f)));
    // @end
    // @end
    workgroupBarrier();
    var sum = vec4f();
    // @repeat i VECTORS
    sum += sums[v * 64u + (first + $iu * SHARE) % 64u];
    // @end
    sums[v * 64u + first % 64u] = sum;
    workgroupBarrier();
    let token = t + v / FOURS;
    if (x == 0u && token < end) {
      var total = vec4f();
      for (var i = 0u; i < SHARE; i++) { total += sums[v * 64u + (4u * v + i) % 64u]; }
      blocks[(block * p.T + token) * Q + q + v % FOURS] = total;
    }
    workgroupBarrier();
  }
  if (!inside) { return; }
  // @repeat c 4
  // @repeat f FOURS
  partials[(s * p.N + n + $cu) * FOURS + $fu] = p.scale * acc$c_$f;
  // @end
  // @end
}
