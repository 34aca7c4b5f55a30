package view

import "strconv"

// Bytes formats a size in bytes: "68 kB".
func Bytes[N int | int64](n N) string {
	switch {
	case n < 1000:
		return strconv.Itoa(int(n)) + " B"
	case n < 1_000_000:
		return strconv.Itoa(int(n/1000)) + " kB"
	}
	return strconv.FormatFloat(float64(n)/1e6, 'f', 1, 64) + " MB"
}
