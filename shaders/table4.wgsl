// The vocabulary table in int4: see table32.
// @include packed_table WIDTH
