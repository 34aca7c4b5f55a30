package httpapi

import (
	"log/slog"
	"net/http"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

const traceHeader = "Traceparent"

// traced returns r as part of the trace that its caller names, if any (W3C Trace
// Context), from where nodes pass it on. If traces are sent, r gets a span of its
// own there; otherwise the span is nil.
func (s *Service) traced(r *http.Request) (*http.Request, trace.Span) {
	ctx := r.Context()
	if len(r.Header[traceHeader]) == 1 { // several would be none
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

// endSpan ends the span of a request that was answered. Like the log, it never
// shows query, headers and body.
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

// traceAttr names the trace that r is part of, for the log.
func traceAttr(r *http.Request) slog.Attr {
	if c := trace.SpanContextFromContext(r.Context()); c.IsValid() {
		return slog.String("trace", c.TraceID().String())
	}
	return slog.Attr{} // handlers leave it out
}
