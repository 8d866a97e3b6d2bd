// Index of a workgroup in a one-dimensional grid, which `grid1d` (src/device/device.ts) folds into two dimensions if it
// exceeds 65,535 workgroups.
fn linear_workgroup(wg: vec3u, count: vec3u) -> u32 {
  return wg.y * count.x + wg.x;
}
