package vfs

import "hash/crc32"

// Castagnoli is the table for the CRC-32C checksums of both logs.
var Castagnoli = crc32.MakeTable(crc32.Castagnoli) //nolint:gochecknoglobals // a constant that takes a call
