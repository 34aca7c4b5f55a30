package httpapi_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/httpapi"
)

func TestHomeIsAPageForBrowsersOnly(t *testing.T) {
	service, err := httpapi.New(httpapi.Config{APIKey: "0123456789abcdef", RoutePrefix: "flow", DataDir: t.TempDir()})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, service.Close(t.Context())) })
	for accept, page := range map[string]bool{
		"text/html,application/xml;q=0.9": true,
		"TEXT/HTML; charset=utf-8":        true,
		"text/html;q=0, */*":              false,
		"*/*":                             false,
		"":                                false,
		"application/json":                false,
	} {
		for _, path := range []string{"/flow", "/flow/"} {
			w := httptest.NewRecorder()
			r := httptest.NewRequest(http.MethodGet, path, nil)
			r.Header.Set("Accept", accept)
			service.ServeHTTP(w, r)
			require.Equal(t, http.StatusOK, w.Code)
			require.Equal(t, "Accept", w.Header().Get("Vary"))
			if !page {
				require.Equal(t, "application/json", w.Header().Get("Content-Type"), accept)
				require.Empty(t, w.Header().Get("Content-Security-Policy"))
				continue
			}
			require.Equal(t, "text/html; charset=utf-8", w.Header().Get("Content-Type"), accept)
			require.Contains(t, w.Header().Get("Content-Security-Policy"), "default-src 'none'")
			require.Contains(t, w.Body.String(), "<!doctype html>")
		}
	}
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodGet, "/flow/healthz", nil)
	r.Header.Set("Accept", "text/html")
	service.ServeHTTP(w, r)
	require.Equal(t, http.StatusUnauthorized, w.Code, "only home is open")
}
