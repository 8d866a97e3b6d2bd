  // @repeat r PAIRS
  let i$r = lane + $ru * LANES;
  let own_m$r = m0 + i$r / HALF;
  let own_n$r = first / 2u + i$r % HALF;
  if (i$r < ROWS * HALF && own_m$r < p.M && own_n$r < p.N / 2u) {
    let gate = output_of(own_m$r, own_n$r, lane_sum($ru, thread));
    let up = output_of(own_m$r, own_n$r + p.N / 2u, lane_sum($ru + PAIRS, thread));
    out[own_m$r * p.N + own_n$r] = gate;
    out[own_m$r * p.N + own_n$r + p.N / 2u] = up;
    activated[own_m$r * (p.N / 2u) + own_n$r] = gate / (1.0 + exp(-gate)) * up;
  }
  // @end
