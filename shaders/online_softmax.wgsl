// Running softmax over a stream of values: the largest so far (m), s = sum e^(x - m), u = sum e^(x - m) (x - m). Then
// log-sum-exp = m + log s and entropy = log s - u / s. -1e30 stands for minus infinity, because WGSL may assume that
// there are no infinities.
struct Softmax { m: f32, s: f32, u: f32 }
fn softmax_empty() -> Softmax { return Softmax(-1e30, 0.0, 0.0); }
fn softmax_merge(a: Softmax, b: Softmax) -> Softmax {
  if (b.s == 0.0) { return a; }
  if (a.s == 0.0) { return b; }
  let m = max(a.m, b.m);
  let da = a.m - m;
  let db = b.m - m;
  let ca = exp(da);
  let cb = exp(db);
  return Softmax(m, ca * a.s + cb * b.s, ca * (a.u + a.s * da) + cb * (b.u + b.s * db));
}
// softmax_merge with (x, 1, 0). One of its two factors is e^0, so this form needs one exponential and no branch.
fn softmax_add(a: Softmax, x: f32) -> Softmax {
  let d = x - a.m;
  let c = exp(-abs(d));
  let grows = d > 0.0;
  return Softmax(max(a.m, x), select(a.s + c, c * a.s + 1.0, grows), select(a.u + c * d, c * (a.u - a.s * d), grows));
}
