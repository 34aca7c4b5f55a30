package httpapi

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/svcflow/svc/app/trigger"
)

// triggerMetrics tells what became of firings, by type of trigger.
type triggerMetrics struct {
	counts           func() map[string]trigger.Counts
	firings, waiting *prometheus.Desc
}

func newTriggerMetrics(counts func() map[string]trigger.Counts) *triggerMetrics {
	return &triggerMetrics{
		counts: counts,
		firings: prometheus.NewDesc("svc_trigger_firings_total",
			"What became of firings: fired are those that were put down as runs, missed times that came to nothing, refused those that were not taken.",
			[]string{"type", "outcome"}, nil),
		waiting: prometheus.NewDesc("svc_trigger_waiting", "Firings that wait for a place.", []string{"type"}, nil),
	}
}

// Describe implements prometheus.Collector.
func (m *triggerMetrics) Describe(to chan<- *prometheus.Desc) { to <- m.firings; to <- m.waiting }

// Collect implements prometheus.Collector.
func (m *triggerMetrics) Collect(to chan<- prometheus.Metric) {
	for typ, c := range m.counts() {
		for outcome, n := range map[string]int{"fired": c.Fired, "missed": c.Missed, "refused": c.Refused} {
			to <- prometheus.MustNewConstMetric(m.firings, prometheus.CounterValue, float64(n), typ, outcome)
		}
		to <- prometheus.MustNewConstMetric(m.waiting, prometheus.GaugeValue, float64(c.Waiting), typ)
	}
}
