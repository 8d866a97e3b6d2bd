// Operands staged in workgroup memory as f32.
alias STAGE = vec4f;
