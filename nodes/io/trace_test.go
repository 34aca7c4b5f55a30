package ionode_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/propagation"
)

// TestRequestsPassTracesOn checks the headers of requests in a run that is part of a trace.
func TestRequestsPassTracesOn(t *testing.T) {
	const parent, state = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "vendor=1"
	ctx := propagation.TraceContext{}.Extract(t.Context(), propagation.MapCarrier{"traceparent": parent, "tracestate": state})
	var got http.Header
	url := serve(t, func(_ http.ResponseWriter, r *http.Request) { got = r.Header })
	h, _ := host(t, newClient(t))
	for _, tt := range []struct {
		node string
		in   record
	}{
		{"io.http_request", record{"url": url}},
		{"io.webhook_post", record{"url": url, "payload": 1}},
	} {
		_, err := h.ExecContext(ctx, tt.node, nil, tt.in)
		require.NoError(t, err)
		require.Equal(t, parent, got.Get("Traceparent"), tt.node)
		require.Equal(t, state, got.Get("Tracestate"), tt.node)

		_, err = h.Exec(tt.node, nil, tt.in)
		require.NoError(t, err)
		require.Empty(t, got.Get("Traceparent"), tt.node)
	}
}
