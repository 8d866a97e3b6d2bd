// Operands as they are staged in workgroup memory: whole floats.
alias STAGE = vec4f;
