package time

import (
	"testing"
	"time"
)

func BenchmarkReadText(b *testing.B) {
	at, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		b.Fatal(err)
	}
	for name, text := range map[string]string{
		"iso": "2026-01-31T18:05:09.250Z", "local": "2026-01-31 18:05", "day": "2026-01-31", "mail": "Sat, 31 Jan 2026 19:05:09 +0100", "unix": "1769882709",
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if _, err := readText(text, at); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
