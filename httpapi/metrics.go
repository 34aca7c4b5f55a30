package httpapi

import (
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/svcflow/svc/app/runs"
	"github.com/svcflow/svc/app/trigger"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
)

// metrics are the metrics of one service. Each service has its own registry, and never touches that
// of the host. Label values come from tables of the program, never from requests, so their number
// is bounded.
type metrics struct {
	registry *prometheus.Registry
	handler  http.Handler

	requests    *prometheus.HistogramVec // by method, route and status
	problems    *prometheus.CounterVec   // by code
	subscribers prometheus.Gauge         // open event streams
	runs        [2]runMetrics            // by kind
	nodes       *prometheus.HistogramVec // by type and status
	journal     prometheus.Counter       // failed writes to journals
	audit       prometheus.Counter       // failed writes to the audit log
}

// runMetrics are the metrics of one kind of runs, looked up in advance.
type runMetrics struct {
	started prometheus.Counter
	ended   map[string]prometheus.Observer // by status
}

// The kinds of runs: synchronous and asynchronous.
const (
	runSync = iota
	runAsync
)

// runInvalid is the status of a run that was refused because of its inputs.
const runInvalid = "invalid"

// newMetrics creates the metrics of a service.
func newMetrics(version string, lost func() int64, log *slog.Logger) *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: histogram("svc_http_request_duration_seconds", "Time to answer a request, by route pattern; of streams: their life.",
			[]float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 60}, "method", "route", "status"),
		problems: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "svc_http_problems_total", Help: "Requests that were refused or failed, by code of the problem: run_limit and busy are the limits of runs.",
		}, []string{"code"}),
		subscribers: prometheus.NewGauge(prometheus.GaugeOpts{Name: "svc_event_subscribers", Help: "Streams of events that are open."}),
		nodes: histogram("svc_node_duration_seconds", "Time of nodes from start to end, attempts and pauses included, without those that only compute a value.",
			[]float64{.0001, .001, .01, .1, .5, 1, 5, 15, 30, 60, 300}, "type", "status"),
		journal: prometheus.NewCounter(prometheus.CounterOpts{Name: "svc_journal_errors_total", Help: "Writes to journals of runs that failed; each ends a run."}),
	}
	m.audit = prometheus.NewCounter(prometheus.CounterOpts{Name: "svc_audit_errors_total", Help: "Lines of the audit log that could not be written; the log of the service has them."})
	m.handler = promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelError), ErrorHandling: promhttp.ContinueOnError,
	})
	m.newRunMetrics()
	m.registry.MustRegister(m.requests, m.problems, m.subscribers, m.nodes, m.journal, m.audit,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	if lost != nil {
		m.registry.MustRegister(prometheus.NewCounterFunc(
			prometheus.CounterOpts{Name: "svc_log_lines_dropped_total", Help: "Lines of the log that were dropped, as nobody read them."},
			func() float64 { return float64(lost()) }))
	}
	m.gauge("svc_build_info", "Always 1; the label says which version runs.", prometheus.Labels{"version": version}, func() int { return 1 })
	return m
}

func (m *metrics) newRunMetrics() {
	started := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "svc_runs_started_total", Help: "Runs that were started."}, []string{"kind"})
	ended := histogram("svc_run_duration_seconds", "Time of runs from start to end, by how they ended; invalid are those that were refused because of their inputs.",
		[]float64{.0001, .001, .01, .1, 1, 10, 60, 600, 3600}, "kind", "status")
	m.registry.MustRegister(started, ended)
	for kind, name := range []string{runSync: "sync", runAsync: "async"} {
		byStatus := map[string]prometheus.Observer{}
		for _, status := range []string{"completed", "failed", "cancelled", runInvalid} {
			byStatus[status] = ended.WithLabelValues(name, status)
		}
		m.runs[kind] = runMetrics{started.WithLabelValues(name), byStatus}
	}
}

// show adds the metrics of the runs of a service. abandoned is engine.Local.Abandoned.
func (m *metrics) show(stats func() runs.Stats, abandoned func() int) {
	const running = "Runs that are going on."
	m.gauge("svc_runs_running", running, prometheus.Labels{"kind": "sync"}, func() int { return stats().Sync })
	m.gauge("svc_runs_running", running, prometheus.Labels{"kind": "async"}, func() int { return stats().Async })
	m.gauge("svc_runs_unrecorded", "Runs that have ended although that could not be written into their journals.", nil,
		func() int { return stats().Unrecorded })
	m.registry.MustRegister(prometheus.NewCounterFunc(
		prometheus.CounterOpts{Name: "svc_runs_dropped_total", Help: "Runs that were waited for and not recorded, since they ended faster than that."},
		func() float64 { return float64(stats().Dropped) }))
	m.gauge("svc_node_calls_abandoned", "Calls of nodes that go on although their time is over and nobody waits for them.", nil, abandoned)
}

func (m *metrics) gauge(name, help string, labels prometheus.Labels, figure func() int) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(
		prometheus.GaugeOpts{Name: name, Help: help, ConstLabels: labels}, func() float64 { return float64(figure()) }))
}

func histogram(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
	return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}, labels)
}

// answered counts a request and its duration.
func (m *metrics) answered(a *answer, method string, took time.Duration) {
	if method != http.MethodHead && !slices.Contains(methods(), method) {
		method = "other"
	}
	route := "none" // refused before the lookup, or not found
	if a.route != nil {
		route = a.route.path
	}
	m.requests.WithLabelValues(method, route, strconv.Itoa(a.status)).Observe(took.Seconds())
}

// nodeEnded counts a node; see engine.Local.
func (m *metrics) nodeEnded(typ string, status engine.Status, took time.Duration) {
	m.nodes.WithLabelValues(typ, status.String()).Observe(took.Seconds())
}

// begin counts the start of a run and returns the time.
func (m *runMetrics) begin() time.Time {
	m.started.Inc()
	return time.Now()
}

// end counts the end of a run.
func (m *runMetrics) end(status string, began time.Time) {
	m.ended[status].Observe(time.Since(began).Seconds())
}

// getMetrics answers GET /metrics, in the text format of Prometheus.
func (s *Service) getMetrics(a *answer, r *http.Request) error {
	a.Header().Add("Vary", "Accept-Encoding") // the handler compresses
	s.metrics.handler.ServeHTTP(a, r)
	return nil
}

// pluginMetrics collects the metrics of plugins.
type pluginMetrics []node.Measured

// measured returns the plugins that have metrics.
func measured(plugins []node.Plugin) pluginMetrics {
	var m pluginMetrics
	for _, p := range plugins {
		if counts, ok := p.(node.Measured); ok {
			m = append(m, counts)
		}
	}
	return slices.Clip(m)
}

// Describe implements [prometheus.Collector]. The metrics are only known when they are collected.
func (pluginMetrics) Describe(chan<- *prometheus.Desc) {}

// Collect implements [prometheus.Collector].
func (m pluginMetrics) Collect(to chan<- prometheus.Metric) {
	for _, p := range m {
		for _, f := range p.Figures() {
			to <- metricOf(f)
		}
	}
}

// figures collects the metrics of the backend of the runs.
type figures func() []node.Figure

// Describe implements [prometheus.Collector]. The metrics are only known when they are collected.
func (figures) Describe(chan<- *prometheus.Desc) {}

// Collect implements [prometheus.Collector].
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

// triggerMetrics counts firings by outcome and type of trigger.
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

// Describe implements [prometheus.Collector].
func (m *triggerMetrics) Describe(to chan<- *prometheus.Desc) { to <- m.firings; to <- m.waiting }

// Collect implements [prometheus.Collector].
func (m *triggerMetrics) Collect(to chan<- prometheus.Metric) {
	for typ, c := range m.counts() {
		for outcome, n := range map[string]int{"fired": c.Fired, "missed": c.Missed, "refused": c.Refused} {
			to <- prometheus.MustNewConstMetric(m.firings, prometheus.CounterValue, float64(n), typ, outcome)
		}
		to <- prometheus.MustNewConstMetric(m.waiting, prometheus.GaugeValue, float64(c.Waiting), typ)
	}
}
