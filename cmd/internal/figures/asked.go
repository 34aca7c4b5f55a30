package main

import "fmt"

// goal is the target for a figure.
type goal struct {
	than  float64
	least bool // whether it is a minimum, not a maximum
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

// topics are the sets of benchmarks, with goals by figure.
func topics() map[string]map[string]goal {
	return map[string]map[string]goal{"server": ofServer(), "cluster": ofCluster()}
}

func least(n float64) goal { return goal{n, true} }
func most(n float64) goal  { return goal{n, false} }

// ofServer has the goals for one process; docs/design.md, Limits, explains them. Ratios compare
// with plain net/http that does the same work in the same benchmark run.
func ofServer() map[string]goal {
	return map[string]goal{
		"Throughput/W1_by_id_vs_limit ratio":                least(0.80),
		"Throughput/W1_by_id_vs_limit p99-times":            most(1.5),
		"Throughput/W1_by_id_vs_limit-full ratio":           least(0.95),
		"Throughput/W1_posted_vs_limit-full ratio":          least(1.1),
		"Throughput/W2_100_by_id_vs_limit ratio":            least(0.40),
		"Throughput/W2_100_by_id_vs_limit p99-times":        most(1.5),
		"Throughput/W2_100_by_id_vs_limit-full ratio":       least(2.6),
		"Throughput/W2_100_posted_vs_limit-full ratio":      least(2.8),
		"Throughput/W3_by_id_vs_limit ratio":                least(0.40),
		"Throughput/W3_by_id_vs_limit-full ratio":           least(2.6),
		"Throughput/W3_posted_vs_limit-full ratio":          least(2.8),
		"Throughput/W4_by_id_c1_vs_limit ratio":             least(1.45),
		"Throughput/W5_by_id_c64_vs_limit ratio":            least(0.95),
		"Throughput/W5_by_id_c64_vs_limit svc-req/s":        least(1216), // of the 1,280 that waiting permits
		"Throughput/W5_posted_c64_vs_limit svc-req/s":       least(1216),
		"ThroughputStreams/W6_vs_bare_stream ratio":         least(0.35),
		"ThroughputStreams/W6_c1_vs_bare_stream svc-runs/s": least(1500),
		"ThroughputRecording/W1_recorded_vs_not ratio":      least(0.95),
		"ThroughputRecording/W1_recorded_vs_not dropped":    most(0),
		"ThroughputMedia/W1_while_two_encode p99-times":     most(3),
		"ThroughputRun run-ms":                              most(60), // of a small workflow
		"ThroughputStart/nothing ready-ms":                  most(100),
		"ThroughputStart/nothing idle-MB":                   most(30),
		"ThroughputStart/runs ready-ms":                     most(300), // 100,000 of them
		"ThroughputStart/runs page-ms":                      most(20),
		"ThroughputStart/runs MB":                           most(60),
		"ThroughputStart/workflows ready-ms":                most(300), // 20,000 of them
		"ThroughputStart/workflows page-ms":                 most(20),
		"ThroughputStart/workflows MB":                      most(60),
		"ThroughputStart/journals-200 open-ready-ms":        most(1000),
		"ThroughputStart/journals-200 open-told-ms":         most(2000),
		"ThroughputStart/journals-10000 open-ready-ms":      most(1000),
		"ThroughputStart/journals-10000 open-told-ms":       most(2000),
		"Call p50-ms":                     most(1),   // a small script
		"Each p50-ms":                     most(10),  // 1,000 items
		"RecordsFromFileToDatabase ns/op": most(3e9), // 100,000 of them
	}
}

// ofCluster has the goals for a cluster. Ratios compare with the fastest that Temporal can do: a
// task of the same shape that does nothing, in the same benchmark run. Ratios named "each"
// compare with one activity per node.
func ofCluster() map[string]goal {
	return map[string]goal{
		"Cluster/Apart/pure_vs_floor_c32 ratio":           least(0.7),
		"Cluster/Apart/pure_vs_each_c32 ratio":            least(3),
		"Cluster/Apart/pure_vs_floor_c1 p50-times":        most(2),
		"Cluster/Apart/mixed_vs_floor-activity_c32 ratio": least(0.7),
		"Cluster/Together/pure_vs_each_c32 ratio":         least(6),
		"Cluster/Told/event_to_follower p50-ms":           most(120),
		"Cluster/Told/event_to_follower p95-ms":           most(200),
		"Cluster/Told/cancel p95-ms":                      most(1000),
		"Cluster/Told/crowd kB-each":                      most(40),
		"Cluster/Told/crowd reads-each":                   most(1),
		"Cluster/Moved/takeover p95-ms":                   most(15000),
		"Cluster/Moved/handover p95-ms":                   most(1000),
		"Cluster/Starts/acknowledged_vs_svc_c32 ratio":    least(0.5),
		"Cluster/Starts/changes p50-ms":                   most(20),
		"Cluster/Placed/placed_vs_fan_c1 ratio":           least(0.5),
		"Cluster/Start/instance ready-ms":                 most(1000),
		"Cluster/Start/instance idle-MB":                  most(60),
		"Cluster/Start/worker idle-MB":                    most(60),
		"Cluster/Start/size more-MB":                      most(20),
		"Cluster/Start/dev_again ready-ms":                most(5000),
	}
}
