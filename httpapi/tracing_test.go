package httpapi_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"runtime/pprof"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	spans "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/svcflow/svc/httpapi"
)

const (
	traceID     = "0af7651916cd43dd8448eb211c80319c"
	parentID    = "b7ad6b7169203331"
	traceparent = "00-" + traceID + "-" + parentID + "-01"
)

// called is a server that workflows call. It records the headers of the last request.
type called struct {
	url    string
	header http.Header
}

func newCalled(t *testing.T) *called {
	t.Helper()
	c := &called{}
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { c.header = r.Header }))
	t.Cleanup(server.Close)
	c.url = server.URL
	return c
}

// calling returns a workflow that calls c and then fails.
func (c *called) calling() string {
	return `{"id":"calling","nodes":[{"id":"call","type":"io.http_request","config":{"url":"` + c.url + `"}},
		{"id":"break","type":"test.fail"}],"connections":[]}`
}

func allowLocal(c *httpapi.Config) {
	c.HTTPAllow = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	c.Plugins(plugin{"test.fail", func(context.Context, map[string]any) (map[string]any, error) { return nil, errors.New("no") }})
}

// TestTraceIsPassedOn checks that the trace context of a caller is passed on by a service that
// sends no traces itself.
func TestTraceIsPassedOn(t *testing.T) {
	var log bytes.Buffer
	s := newService(t, func(c *httpapi.Config) {
		allowLocal(c)
		c.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	c := newCalled(t)
	s.do("POST", "/execute", c.calling(), "traceparent", traceparent, "tracestate", "vendor=1,other=2")
	require.Equal(t, traceparent, c.header.Get("Traceparent"))
	require.Equal(t, "vendor=1,other=2", c.header.Get("Tracestate"))
	require.Contains(t, log.String(), "status=200 trace="+traceID)

	s.do("POST", "/execute", strings.Replace(c.calling(), `"url":`, `"headers":{"traceparent":"own"},"url":`, 1), "traceparent", traceparent)
	require.Equal(t, "own", c.header.Get("Traceparent"), "what the workflow says comes first")
}

func TestMalformedTracesAreIgnored(t *testing.T) {
	s := newService(t, allowLocal)
	c := newCalled(t)
	for _, header := range []string{
		"", "x", "00-" + traceID, "00-" + strings.Repeat("0", 32) + "-" + parentID + "-01", "00-" + traceID + "-" + strings.Repeat("0", 16) + "-01",
		"ff-" + traceID + "-" + parentID + "-01", strings.ToUpper(traceparent), traceparent + "-more", traceparent + "\n", "00-" + traceID + "x-" + parentID + "-01",
	} {
		w := s.do("POST", "/execute", c.calling(), "traceparent", header, "tracestate", "vendor=1")
		require.Equal(t, http.StatusOK, w.Code, header)
		require.Empty(t, c.header.Get("Traceparent"), header)
		require.Empty(t, c.header.Get("Tracestate"), header)
	}
	r := newRequest("POST", "/execute", c.calling())
	r.Header["Traceparent"] = []string{traceparent, traceparent}
	s.ServeHTTP(httptest.NewRecorder(), r)
	require.Empty(t, c.header.Get("Traceparent"), "two are none")
}

// traceCollector receives traces by OTLP over HTTP.
type traceCollector struct {
	url string

	mu       sync.Mutex
	resource map[string]string
	spans    map[string]*spans.Span // by name
}

func newCollector(t *testing.T) *traceCollector {
	t.Helper()
	c := &traceCollector{spans: map[string]*spans.Span{}, resource: map[string]string{}}
	server := httptest.NewServer(c)
	t.Cleanup(server.Close)
	c.url = server.URL
	return c
}

func (c *traceCollector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var request collector.ExportTraceServiceRequest
	if r.URL.Path != "/v1/traces" || proto.Unmarshal(body, &request) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, group := range request.ResourceSpans {
		for _, kv := range group.Resource.Attributes {
			c.resource[kv.Key] = kv.Value.GetStringValue()
		}
		for _, scope := range group.ScopeSpans {
			for _, span := range scope.Spans {
				c.spans[span.Name] = span
			}
		}
	}
}

func TestTracesAreSent(t *testing.T) {
	c, target := newCollector(t), newCalled(t)
	s := newService(t, func(config *httpapi.Config) {
		allowLocal(config)
		config.Getenv = environment(map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": c.url})
	})
	require.Equal(t, http.StatusOK, s.do("POST", "/execute?full=true", target.calling(), "traceparent", traceparent).Code)
	require.NoError(t, s.Close(t.Context()), "sends what is left")

	require.Equal(t, "svc", c.resource["service.name"])
	require.Equal(t, "test", c.resource["service.version"])
	require.Len(t, c.spans, 3, "%v", c.spans)
	request, run, node := c.spans["POST /execute"], c.spans["run"], c.spans["node"]
	require.Equal(t, parentID, hex.EncodeToString(request.ParentSpanId))
	require.Equal(t, request.SpanId, run.ParentSpanId)
	require.Equal(t, run.SpanId, node.ParentSpanId)
	require.Equal(t, spans.Status_STATUS_CODE_ERROR, run.Status.Code)
	for _, span := range c.spans {
		require.Equal(t, traceID, hex.EncodeToString(span.TraceId))
		require.NotContains(t, span.String(), "full=true")
	}
	require.Equal(t, "00-"+traceID+"-"+hex.EncodeToString(run.SpanId)+"-01", target.header.Get("Traceparent"))
}

// TestTraceOfAsynchronousRun checks that a run that outlives its request stays in the trace.
func TestTraceOfAsynchronousRun(t *testing.T) {
	c := newCollector(t)
	s := newService(t, func(config *httpapi.Config) {
		config.Getenv = environment(map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": c.url})
	})
	require.Equal(t, http.StatusAccepted, s.do("POST", "/executions", greet, "traceparent", traceparent).Code)
	require.NoError(t, s.Close(t.Context()))
	require.Equal(t, c.spans["POST /executions"].SpanId, c.spans["run"].ParentSpanId)
}

// TestTracesOfNoService checks that a failed New leaves no goroutine behind that sends traces.
func TestTracesOfNoService(t *testing.T) {
	senders := func() int {
		var stacks strings.Builder
		require.NoError(t, pprof.Lookup("goroutine").WriteTo(&stacks, 2))
		return strings.Count(stacks.String(), "sdk/trace.(*batchSpanProcessor).processQueue(")
	}
	before := senders()
	c := testConfig(t)
	c.Getenv = environment(map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1"})
	same := plugin{"test.same", nil}
	c.Plugins(same, same)
	_, err := httpapi.New(c)
	require.ErrorContains(t, err, "test.same")
	require.Equal(t, before, senders())
}
