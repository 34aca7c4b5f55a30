package serving

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"sync"

	"github.com/svcflow/svc/cmd/internal/program"
)

// certificate is a certificate with its key, in two files that whoever renews it
// replaces. They are looked at when a client comes, which costs nothing beside what the
// client costs, and which works with links, with folders that are mounted, and whatever
// way the files are replaced; watching them would not.
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

// get is for tls.Config. While the files do not fit each other, or one of them is
// missing, it goes on with what it has: their replacement may not be complete yet.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.look(); err != nil {
		c.log.Error("the certificate cannot be renewed; the one from before is used on", slog.Any("error", err))
	}
	return c.loaded, nil
}

// look loads the files if they are others than last time. Of files that cannot be used
// it says so once.
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
			return nil // as it has said
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

// same reports whether a file is as it was.
func same(now, before os.FileInfo) bool {
	return before != nil && os.SameFile(now, before) && now.ModTime().Equal(before.ModTime()) && now.Size() == before.Size()
}
