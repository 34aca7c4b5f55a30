package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A hostile server sends an address that is not a web page to log in at. svc passes it neither
// to the browser, which might open a file or start a program, nor to the user.
func TestLoginOpensNoHostileAddress(t *testing.T) {
	bin, opened := t.TempDir(), filepath.Join(t.TempDir(), "opened")
	script := "#!/bin/sh\nprintf '%s\\n' \"$1\" >> '" + opened + "'\n"
	require.NoError(t, os.WriteFile(filepath.Join(bin, "xdg-open"), []byte(script), 0o700)) // it has to be run
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	for _, address := range []string{
		"file:///etc/passwd", "http://network.example/login", "https://network.example@evil.example/", "--help", "javascript:alert(1)",
		"svc-calculator:1", "https:///etc/passwd", "\\\\\\\\host\\\\share",
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(`{"authorizeUrl":"` + address + `","loginId":"1","expiresAt":"2099-01-01T00:00:00Z"}`))
		}))
		var errs watched
		status, _ := svc(t, nil, &errs, "credentials", "login", "pronet:main", "--server", server.URL, "--timeout", "10s")
		server.Close()
		require.Equal(t, exitFailed, status, address)
		require.Contains(t, errs.String(), "no page to log in at", address)
		require.NotContains(t, errs.String(), "evil.example")
	}
	require.Never(t, func() bool { _, err := os.Stat(opened); return err == nil }, 100*time.Millisecond, 20*time.Millisecond, "a browser is opened in a goroutine")
}
