package telemetry_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel"

	"github.com/svcflow/svc/httpapi/telemetry"
)

func open(t *testing.T, log *bytes.Buffer, vars map[string]string) (*telemetry.Traces, error) {
	t.Helper()
	return telemetry.Open(t.Context(), telemetry.Config{
		Getenv: func(name string) (string, bool) {
			v, ok := vars[name]
			return v, ok
		},
		Service: "svc", Version: "test", Log: slog.New(slog.NewTextHandler(log, nil)),
	})
}

func TestOffUnlessAskedFor(t *testing.T) {
	for _, vars := range []map[string]string{
		nil,
		{"OTEL_SERVICE_NAME": "svc"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT": ""},
		{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://localhost:1", "OTEL_SDK_DISABLED": "TRUE"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://localhost:1", "OTEL_TRACES_EXPORTER": "none"},
	} {
		traces, err := open(t, nil, vars)
		require.NoError(t, err)
		require.Nil(t, traces, vars)
		require.NoError(t, traces.Close(t.Context()))
	}
}

func TestUnusableSettings(t *testing.T) {
	for want, vars := range map[string]map[string]string{
		"OTEL_EXPORTER_OTLP_ENDPOINT has to be a URL":        {"OTEL_EXPORTER_OTLP_ENDPOINT": "user:secret@localhost:4318"},
		"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT has to be a URL": {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "ftp://secret"},
		"over HTTP only":                      {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://localhost:1", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"},
		"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL:": {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://localhost:1", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "x"},
	} {
		_, err := open(t, nil, vars)
		require.ErrorContains(t, err, want)
		require.NotContains(t, err.Error(), "secret")
	}
}

func TestSends(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-tenant=t1")
	t.Setenv("OTEL_SERVICE_NAME", "named")
	var got atomic.Pointer[http.Request]
	body := make(chan []byte, 1)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var b bytes.Buffer
		_, _ = b.ReadFrom(r.Body)
		got.Store(r)
		body <- b.Bytes()
	}))
	defer server.Close()
	for endpoint, path := range map[string]string{
		"OTEL_EXPORTER_OTLP_ENDPOINT": "/v1/traces", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "/",
	} {
		before := otel.GetTracerProvider()
		traces, err := open(t, nil, map[string]string{endpoint: server.URL + "/"})
		require.NoError(t, err)
		_, span := traces.Start(t.Context(), "something")
		span.End()
		require.NoError(t, traces.Close(t.Context()))
		require.Equal(t, path, got.Load().URL.Path)
		require.Equal(t, "t1", got.Load().Header.Get("X-Tenant"))
		sent := <-body
		require.Contains(t, string(sent), "something")
		require.Contains(t, string(sent), "named")
		require.Equal(t, before, otel.GetTracerProvider(), "nothing global is set")
	}
}

func TestCollectorThatRefuses(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	var log bytes.Buffer
	traces, err := open(t, &log, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": server.URL})
	require.NoError(t, err)
	_, span := traces.Start(t.Context(), "lost")
	span.End()
	require.NoError(t, traces.Close(t.Context()))
	require.Contains(t, log.String(), "traces could not be sent")
}
