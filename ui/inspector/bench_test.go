package inspector_test

import (
	"testing"
)

// BenchmarkSelect is what a click on another node costs.
func BenchmarkSelect(b *testing.B) {
	in := open(b, demo)
	for b.Loop() {
		in.node("send")
		in.node("http")
	}
}

// BenchmarkType is what a letter costs.
func BenchmarkType(b *testing.B) {
	in := open(b, demo).node("http")
	texts := []string{"a", "ab"}
	for i := 0; b.Loop(); i++ {
		in.write("url", texts[i%2])
	}
}

// BenchmarkIdle is what an update costs when nothing has changed.
func BenchmarkIdle(b *testing.B) {
	in := open(b, demo).node("http")
	for b.Loop() {
		in.show()
	}
}
