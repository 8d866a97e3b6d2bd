// A one-dimensional grid folded into two dimensions where it exceeds 65,535 workgroups (see grid1d in submission.ts).
fn linear_workgroup(wg: vec3u, count: vec3u) -> u32 {
  return wg.y * count.x + wg.x;
}
