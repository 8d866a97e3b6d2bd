// Elements of a product, one float wide: for inner sizes that are not multiples of four.
alias ELEM = f32;
fn inner_product(a: ELEM, b: ELEM) -> f32 { return a * b; }
fn splat(a: f32) -> ELEM { return a; }
