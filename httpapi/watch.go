package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/httpapi/internal/admission"
	"github.com/svcflow/svc/httpapi/internal/pressure"
	"github.com/svcflow/svc/httpapi/telemetry"
	"github.com/svcflow/svc/store"
)

// Fractions of the memory that a service may use. The rest is for the garbage collector.
const (
	admitPart  = 4 // 1/4 for requests
	valuesPart = 2 // 1/2 for the values of runs
	heapPart   = 8 // 1/8 is kept free before large allocations
)

// watch is the engine.Runner of the service, which also measures and traces runs.
type watch struct {
	local   engine.Local
	metrics *metrics
	traces  *telemetry.Traces // nil if no traces are sent
	kept    store.RunStore    // set by runs

	pressure *pressure.Monitor // nil without a memory limit
}

func newWatch(c *Config) (*watch, error) {
	w := &watch{local: engine.Local{Log: c.Log, RunMemory: int(c.RunMemory), RunCPU: c.RunCPU}}
	w.local.Memory.All = int(c.available() / valuesPart)
	w.local.Memory.Heap = int(c.available() / heapPart * (heapPart - 1))
	w.local.Memory.SetGCPercent = c.SetGCPercent
	w.local.Processors.Count = c.Processors
	w.metrics = newMetrics(c.Version, c.LostLines, c.Log)
	w.local.Ended = w.metrics.nodeEnded
	var err error
	w.traces, err = telemetry.Open(context.Background(), telemetry.Config{
		Getenv: c.Getenv, Service: "svc", Version: c.Version, Log: c.Log,
	})
	if err == nil && c.Memory > 0 {
		w.pressure = pressure.Watch(c.Memory, &w.local)
	}
	return w, err
}

// crowded reports whether too much memory is in use for the run that ctx belongs to. Small requests
// have a reserve.
func (w *watch) crowded(ctx context.Context) bool {
	if w.pressure == nil {
		return false
	}
	t := admission.ReservationOf(ctx)
	return w.pressure.High(t != nil && t.Small())
}

// close stops the pressure monitor and sends remaining traces.
func (w *watch) close(ctx context.Context) error {
	w.pressure.Close()
	return w.traces.Close(ctx)
}

// Run implements [engine.Runner].
func (w *watch) Run(ctx context.Context, p *engine.Plan, o engine.Options) (*engine.Run, error) {
	figures := &w.metrics.runs[runSync]
	if o.Observe != nil { // set for runs with a journal
		figures = &w.metrics.runs[runAsync]
	}
	if t := admission.ReservationOf(ctx); t != nil {
		t.EndCompute()
		if t.Join(ctx) {
			defer t.Release()
		}
	}
	status, began := runInvalid, figures.begin()
	defer func() { figures.end(status, began) }()
	ctx, span := w.startSpan(ctx, p, o)
	ended, err := w.local.Run(ctx, p, o)
	if err == nil {
		status = ended.Status().String()
	}
	w.endSpan(ctx, span, ended, status)
	return ended, err
}

// Answer implements [engine.Answerer], for members of a cluster. It is not measured: runs are
// counted and traced in the process that drives them.
func (w *watch) Answer(ctx context.Context, p *engine.Plan, c engine.Asked) (engine.Answered, error) {
	return w.local.Answer(ctx, p, c)
}

// runs wraps a store so that failures of its journals are counted.
func (w *watch) runs(runs store.RunStore) store.RunStore {
	if runs == nil {
		return nil
	}
	w.kept = runs
	return watchedRuns{runs, w.metrics}
}

// check returns why no journal can be written, if the store supports that.
func (w *watch) check(ctx context.Context) error {
	if c, ok := w.kept.(interface {
		Check(ctx context.Context) error
	}); ok {
		return c.Check(ctx)
	}
	return nil
}

// startSpan starts the span of a run; nil if no traces are sent.
func (w *watch) startSpan(ctx context.Context, p *engine.Plan, o engine.Options) (context.Context, trace.Span) {
	if w.traces == nil {
		return ctx, nil
	}
	return w.traces.Start(ctx, "run", trace.WithAttributes(
		attribute.String("svc.run.id", o.RunID), attribute.String("svc.workflow.id", p.WorkflowID())))
}

// endSpan ends the span of a run; ended is nil if the run was refused.
func (w *watch) endSpan(ctx context.Context, span trace.Span, ended *engine.Run, status string) {
	if span == nil {
		return
	}
	defer span.End()
	span.SetAttributes(attribute.String("svc.run.status", status))
	if ended == nil || !span.IsRecording() {
		return
	}
	if failure := ended.Err(); failure != nil {
		span.SetStatus(codes.Error, failure.Code)
	}
	w.traceNodes(ctx, ended.Result())
}

const (
	tracedFrom  = time.Millisecond // faster nodes get no span
	tracedNodes = 500              // per run
)

// traceNodes adds spans for the nodes of a run that has ended. They are made from the result, so
// that tracing does not slow down runs.
func (w *watch) traceNodes(ctx context.Context, result *engine.Result) {
	spans := 0
	for _, id := range result.Order {
		n := result.Nodes[id]
		if n.Attempts == 0 || n.Duration < tracedFrom && n.Error == nil || spans == tracedNodes {
			continue
		}
		spans++
		_, span := w.traces.Start(ctx, "node", trace.WithTimestamp(n.StartedAt), trace.WithAttributes(
			attribute.String("svc.node.id", id), attribute.String("svc.node.status", n.Status.String()),
			attribute.Int("svc.node.attempts", n.Attempts)))
		if n.Error != nil {
			span.SetStatus(codes.Error, n.Error.Code)
		}
		span.End(trace.WithTimestamp(n.StartedAt.Add(n.Duration)))
	}
}

// watchedRuns counts failed writes to journals.
type watchedRuns struct {
	store.RunStore

	metrics *metrics
}

// Create implements [store.RunStore].
func (w watchedRuns) Create(ctx context.Context, start run.Start) (store.Journal, error) {
	return w.watch(w.RunStore.Create(ctx, start))
}

// Reopen implements [store.RunStore].
func (w watchedRuns) Reopen(ctx context.Context, runID string) (store.Journal, error) {
	return w.watch(w.RunStore.Reopen(ctx, runID))
}

// Finish implements [store.RunStore].
func (w watchedRuns) Finish(ctx context.Context, lasts []store.Last) []error {
	errs := w.RunStore.Finish(ctx, lasts)
	for _, err := range errs {
		if err != nil {
			w.metrics.journal.Inc()
		}
	}
	return errs
}

func (w watchedRuns) watch(j store.Journal, err error) (store.Journal, error) {
	if err != nil {
		w.metrics.journal.Inc()
		return nil, err
	}
	return watchedJournal{j, w.metrics}, nil
}

type watchedJournal struct {
	store.Journal

	metrics *metrics
}

// Append implements [store.Journal].
func (w watchedJournal) Append(f run.Frame) error {
	err := w.Journal.Append(f)
	if err != nil {
		w.metrics.journal.Inc()
	}
	return err
}

const traceHeader = "Traceparent"

// traced returns r with the trace context of its caller, if any (W3C Trace Context), from where
// nodes pass it on. If traces are sent, it also starts a span; otherwise the span is nil.
func (s *Service) traced(r *http.Request) (*http.Request, trace.Span) {
	ctx := r.Context()
	if len(r.Header[traceHeader]) == 1 { // several headers count as none
		ctx = propagation.TraceContext{}.Extract(ctx, propagation.HeaderCarrier(r.Header))
	} else if s.traces == nil {
		return r, nil
	}
	var span trace.Span
	if s.traces != nil {
		ctx, span = s.traces.Start(ctx, r.Method, trace.WithSpanKind(trace.SpanKindServer))
	}
	return r.WithContext(ctx), span
}

// endSpan ends the span of a request. Like the log, it never contains query, headers or body.
func endSpan(span trace.Span, a *answer, r *http.Request) {
	if span == nil {
		return
	}
	span.SetAttributes(attribute.String("http.request.method", r.Method), attribute.Int("http.response.status_code", a.status))
	if a.route != nil {
		span.SetName(r.Method + " " + a.route.path)
		span.SetAttributes(attribute.String("http.route", a.route.path))
	}
	if a.status >= http.StatusInternalServerError {
		span.SetStatus(codes.Error, "")
	}
	span.End()
}

// traceAttr returns the id of the trace for the log.
func traceAttr(r *http.Request) slog.Attr {
	if c := trace.SpanContextFromContext(r.Context()); c.IsValid() {
		return slog.String("trace", c.TraceID().String())
	}
	return slog.Attr{} // handlers ignore an empty attribute
}
