package serving

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"sync"

	"github.com/svcflow/svc/cmd/internal/program"
)

// certificate is a certificate with its key, in two files that are replaced at each renewal. It
// checks the files at each new connection, which is cheap beside a TLS handshake. Unlike a file
// watcher, this works with links, mounted folders, and any way to replace files.
type certificate struct {
	files [2]string // with the certificates, with the key
	log   *slog.Logger

	mu     sync.Mutex
	loaded *tls.Certificate
	seen   [2]os.FileInfo // the files as they were loaded, or last tried
}

// openCertificate reads both files.
func openCertificate(certFile, keyFile string, log *slog.Logger) (*certificate, error) {
	c := &certificate{files: [2]string{certFile, keyFile}, log: log}
	if err := c.look(); err != nil {
		return nil, program.UsageError{Err: err}
	}
	return c, nil
}

// get is for tls.Config. If the files do not match, or one is missing, it returns the last
// certificate that worked: the files may be in the middle of a replacement.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.look(); err != nil {
		c.log.Error("the certificate cannot be renewed; the one from before is used on", slog.Any("error", err))
	}
	return c.loaded, nil
}

// look loads the files if they have changed. It logs an error once for each change.
func (c *certificate) look() error {
	var now [2]os.FileInfo
	changed := false
	for i, name := range c.files {
		info, err := os.Stat(name)
		if err != nil && (c.loaded == nil || c.seen[i] != nil) {
			c.seen[i] = nil
			return fmt.Errorf("TLS: %w", err)
		}
		if err != nil {
			return nil // logged before
		}
		now[i] = info
		changed = changed || !same(info, c.seen[i])
	}
	if !changed {
		return nil
	}
	c.seen = now
	pair, err := tls.LoadX509KeyPair(c.files[0], c.files[1])
	if err != nil {
		return fmt.Errorf("TLS: %s and %s cannot be used: %w", c.files[0], c.files[1], err)
	}
	if c.loaded != nil {
		c.log.Info("the certificate is renewed", slog.Time("until", pair.Leaf.NotAfter))
	}
	c.loaded = &pair
	return nil
}

// same reports whether a file is unchanged.
func same(now, before os.FileInfo) bool {
	return before != nil && os.SameFile(now, before) && now.ModTime().Equal(before.ModTime()) && now.Size() == before.Size()
}
