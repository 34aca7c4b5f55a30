package httpapi

import (
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/svcflow/svc/engine/node"
)

// pluginMetrics tells what plugins count.
type pluginMetrics []node.Measured

// measured returns the figures of those plugins that have some.
func measured(plugins []node.Plugin) pluginMetrics {
	var m pluginMetrics
	for _, p := range plugins {
		if counts, ok := p.(node.Measured); ok {
			m = append(m, counts)
		}
	}
	return slices.Clip(m)
}

// Describe implements prometheus.Collector: plugins tell their figures when they are asked.
func (pluginMetrics) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (m pluginMetrics) Collect(to chan<- prometheus.Metric) {
	for _, p := range m {
		for _, f := range p.Figures() {
			to <- metricOf(f)
		}
	}
}

// figures tells what somebody else counts.
type figures func() []node.Figure

// Describe implements prometheus.Collector: they are told when they are asked for.
func (figures) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (f figures) Collect(to chan<- prometheus.Metric) {
	for _, figure := range f() {
		to <- metricOf(figure)
	}
}

func metricOf(f node.Figure) prometheus.Metric {
	kind := prometheus.GaugeValue
	if strings.HasSuffix(f.Name, "_total") {
		kind = prometheus.CounterValue
	}
	var labels prometheus.Labels
	if f.Label != "" {
		labels = prometheus.Labels{f.Label: f.Is}
	}
	desc := prometheus.NewDesc(f.Name, f.Help, nil, labels)
	metric, err := prometheus.NewConstMetric(desc, kind, f.Value)
	if err != nil {
		return prometheus.NewInvalidMetric(desc, err)
	}
	return metric
}
