// The vocabulary table in int8: see table32.
// @include packed_table WIDTH
