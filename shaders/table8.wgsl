// The vocabulary table in int8, with the interface of table32.
// @include packed_table WIDTH
