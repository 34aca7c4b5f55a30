//go:build linux

package xtest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/stretchr/testify/require"
)

// Server is a running `svc serve`.
type Server struct {
	*Program

	Address string
	Key     string
}

// Serve starts the server program, with its data in a new folder.
func (d *Desktop) Serve(program string) *Server {
	d.t.Helper()
	data := d.t.TempDir()
	s := &Server{Program: d.Start(program, "serve", "--addr", "127.0.0.1:0", "--data", data)}
	s.AwaitLog("the API key is new")
	s.Address = regexp.MustCompile(`listening on (\S+)`).FindStringSubmatch(s.Log())[1]
	key, err := os.ReadFile(filepath.Join(data, "api-key"))
	require.NoError(d.t, err)
	s.Key = strings.TrimSpace(string(key))
	return s
}
