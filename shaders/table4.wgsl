// The vocabulary table in int4, with the interface of table32.
// @include packed_table WIDTH
