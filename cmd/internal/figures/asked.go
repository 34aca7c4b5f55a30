package main

import "fmt"

// goal is what is asked of a figure.
type goal struct {
	than  float64
	least bool // else it may be no more
}

// String implements fmt.Stringer.
func (g goal) String() string {
	if g.least {
		return fmt.Sprintf("≥ %g", g.than)
	}
	return fmt.Sprintf("≤ %g", g.than)
}

func (g goal) verdict(value float64) string {
	if g.least && value >= g.than || !g.least && value <= g.than {
		return "ok"
	}
	return "missed"
}

// asked is what is asked of which figure (docs/design.md, Limits, tells what for). Ratios are
// to bare net/http that does the same work in the same run.
func asked() map[string]goal {
	least := func(n float64) goal { return goal{n, true} }
	most := func(n float64) goal { return goal{n, false} }
	return map[string]goal{
		"Throughput/W1_by_id_vs_limit ratio":             least(0.80),
		"Throughput/W1_by_id_vs_limit p99-times":         most(1.5),
		"Throughput/W1_posted_vs_limit-full ratio":       least(1),
		"Throughput/W2_100_by_id_vs_limit ratio":         least(0.40),
		"Throughput/W2_100_by_id_vs_limit p99-times":     most(1.5),
		"Throughput/W2_100_posted_vs_limit-full ratio":   least(1),
		"Throughput/W3_by_id_vs_limit ratio":             least(0.40),
		"Throughput/W4_by_id_c1_vs_limit ratio":          least(1.45),
		"Throughput/W5_by_id_c64_vs_limit ratio":         least(0.95),
		"ThroughputStreams/W6_vs_bare_stream ratio":      least(0.35),
		"ThroughputRecording/W1_recorded_vs_not ratio":   least(0.95),
		"ThroughputRecording/W1_recorded_vs_not dropped": most(0),
		"ThroughputMedia/W1_while_two_encode p99-times":  most(3),
		"ThroughputStart ready-ms":                       most(100),
		"ThroughputStart idle-MB":                        most(30),
		"Call p50-ms":                                    most(1),   // a small script
		"Each p50-ms":                                    most(10),  // 1,000 items
		"RecordsFromFileToDatabase ns/op":                most(3e9), // 100,000 of them
	}
}
