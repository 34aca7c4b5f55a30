// Package telemetry sends traces of a service to a collector, by OpenTelemetry's
// protocol over HTTP. It is switched on and set up by the standard OTEL_*
// variables, and it is the only package that links OpenTelemetry's SDK.
//
// It is not about metrics, nor about reading and passing on trace contexts: for
// that OpenTelemetry's small API is enough, which works without this package.
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
	// Getenv looks up the variables that say whether and where traces are sent.
	// Those for details, such as headers, time limits and sampling, are read by
	// OpenTelemetry's SDK, always from the environment of the process.
	Getenv func(name string) (value string, found bool)
	// Service and Version describe the service, where OTEL_SERVICE_NAME and
	// OTEL_RESOURCE_ATTRIBUTES do not.
	Service, Version string
	// Log takes what goes wrong with sending.
	Log *slog.Logger
}

// Traces makes spans and sends them. It is safe for concurrent use.
type Traces struct {
	trace.Tracer

	provider *sdktrace.TracerProvider
}

// Open returns where spans go, or nil if no variable asks for traces. It does not
// wait for the collector. Nothing global of OpenTelemetry is set.
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

// Close sends what is left, until ctx ends, and stops. A nil t has nothing to do.
func (t *Traces) Close(ctx context.Context) error {
	if t == nil {
		return nil
	}
	return t.provider.Shutdown(ctx)
}

// get returns a variable; empty is the same as not set, as OpenTelemetry's
// specification has it.
func (c *Config) get(name string) string {
	v, _ := c.Getenv(name)
	return strings.TrimSpace(v)
}

// endpoint returns the URL to send traces to, or "" for none.
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

// checkProtocol refuses settings that would be passed over in silence.
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
		resource.WithFromEnv(), // the last one counts
	)
}

// logged reports what goes wrong to the log of the service; the SDK would do so
// on the standard error of the process.
type logged struct {
	sdktrace.SpanExporter

	log *slog.Logger
}

// ExportSpans implements sdktrace.SpanExporter.
func (l logged) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	if err := l.SpanExporter.ExportSpans(ctx, spans); err != nil {
		l.log.LogAttrs(ctx, slog.LevelWarn, "traces could not be sent", slog.Int("spans", len(spans)), slog.Any("error", err))
	}
	return nil
}
