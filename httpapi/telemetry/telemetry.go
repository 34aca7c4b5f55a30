// Package telemetry sends traces of a service to a collector, by OTLP over HTTP. It is configured
// by the standard OTEL_* variables. It is the only package that links the OpenTelemetry SDK.
//
// Metrics, and reading and passing on trace contexts, do not need this package: for those the
// OpenTelemetry API is enough.
package telemetry

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// Config configures traces, in addition to the OTEL_* variables.
type Config struct {
	// Getenv looks up the variables that say whether and where traces are sent. The SDK reads the
	// variables for details, such as headers, timeouts and sampling, always from the environment of
	// the process.
	Getenv func(name string) (value string, found bool)
	// Service and Version describe the service, unless OTEL_SERVICE_NAME and
	// OTEL_RESOURCE_ATTRIBUTES do.
	Service, Version string
	// Log receives errors of sending.
	Log *slog.Logger
}

// Traces creates and sends spans. It is safe for concurrent use.
type Traces struct {
	trace.Tracer

	provider *sdktrace.TracerProvider
}

// Open returns Traces, or nil if no variable asks for traces. It does not wait for the collector,
// and sets no OpenTelemetry globals.
func Open(ctx context.Context, c Config) (*Traces, error) {
	endpoint, err := c.endpoint()
	if endpoint == "" || err != nil {
		return nil, err
	}
	exporter, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(endpoint))
	if err != nil {
		return nil, fmt.Errorf("set up the sending of traces: %w", err)
	}
	about, err := c.resource(ctx)
	if err != nil {
		return nil, fmt.Errorf("describe the service for traces: %w", err)
	}
	provider := sdktrace.NewTracerProvider(sdktrace.WithResource(about), sdktrace.WithBatcher(logged{exporter, c.Log}))
	return &Traces{Tracer: provider.Tracer("github.com/svcflow/svc", trace.WithInstrumentationVersion(c.Version)), provider: provider}, nil
}

// Close sends the remaining spans, until ctx ends, and stops. It does nothing for a nil Traces.
func (t *Traces) Close(ctx context.Context) error {
	if t == nil {
		return nil
	}
	return t.provider.Shutdown(ctx)
}

// get returns a variable. An empty one counts as not set, as in the OpenTelemetry specification.
func (c *Config) get(name string) string {
	v, _ := c.Getenv(name)
	return strings.TrimSpace(v)
}

// endpoint returns the URL to send traces to; "" if traces are off.
func (c *Config) endpoint() (string, error) {
	if strings.EqualFold(c.get("OTEL_SDK_DISABLED"), "true") || strings.EqualFold(c.get("OTEL_TRACES_EXPORTER"), "none") {
		return "", nil
	}
	name := "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
	endpoint := c.get(name)
	if endpoint == "" {
		name = "OTEL_EXPORTER_OTLP_ENDPOINT"
		if endpoint = c.get(name); endpoint == "" {
			return "", nil
		}
		endpoint = strings.TrimSuffix(endpoint, "/") + "/v1/traces"
	}
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", fmt.Errorf("%s has to be a URL such as http://localhost:4318", name)
	}
	return endpoint, c.checkProtocol()
}

// checkProtocol returns an error for protocols that are not supported, instead of ignoring them.
func (c *Config) checkProtocol() error {
	for _, name := range []string{"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"} {
		switch c.get(name) {
		case "http/protobuf", "http/json":
			return nil
		case "":
		default:
			return fmt.Errorf("%s: traces are sent over HTTP only; set it to http/protobuf, and the endpoint to the port for that, often 4318", name)
		}
	}
	return nil
}

func (c *Config) resource(ctx context.Context) (*resource.Resource, error) {
	return resource.New(ctx,
		resource.WithAttributes(attribute.String("service.name", c.Service), attribute.String("service.version", c.Version)),
		resource.WithTelemetrySDK(),
		resource.WithFromEnv(), // later options override earlier ones
	)
}

// logged reports errors in the log of the service; the SDK would write them to standard error.
type logged struct {
	sdktrace.SpanExporter

	log *slog.Logger
}

// ExportSpans implements [sdktrace.SpanExporter].
func (l logged) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	if err := l.SpanExporter.ExportSpans(ctx, spans); err != nil {
		l.log.LogAttrs(ctx, slog.LevelWarn, "traces could not be sent", slog.Int("spans", len(spans)), slog.Any("error", err))
	}
	return nil
}
