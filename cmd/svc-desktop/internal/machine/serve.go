package machine

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"sync"
	"time"

	"github.com/svcflow/svc/httpapi"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/memstore"
	"github.com/svcflow/svc/ui/hosts"
)

// keyBytes is the number of random bytes of the local server's key.
const keyBytes = 32

// lastAnswers limits how long requests may take to end when the server stops, once its runs
// have ended.
const lastAnswers = time.Second

// localServer serves the workflows of this computer to other programs of the user.
type localServer struct {
	config func(key string) httpapi.Config
	log    *slog.Logger

	mu      sync.Mutex
	serving *serving // nil while it is stopped
}

var _ hosts.LocalServer = (*localServer)(nil)

// serving is a running server.
type serving struct {
	address, key string
	service      *httpapi.Service
	http         *http.Server
	ended        chan error
}

// service returns the configuration of the local server: it serves the workflows and accounts
// of this computer under the policy of a server. A caller over HTTP may know the key without
// being the user at the window, so its workflows have no access to files and private
// addresses.
func (m *Machine) service(key string) httpapi.Config {
	return httpapi.Config{
		APIKey: key, Store: m.store, Runs: &memstore.Runs{Retention: store.DefaultRetention()},
		EnvPlugins: m.plugins, DataDir: m.config.Folders.Data, Credentials: m.secrets.sources,
		Getenv: m.config.Getenv, Log: m.config.Log, Version: m.config.Version,
		SetGCPercent: func(percent int) { debug.SetGCPercent(percent) },
	}
}

// Start implements [hosts.LocalServer]. Where a server runs already, it is that one.
func (l *localServer) Start(ctx context.Context) (address, key string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.serving == nil {
		if l.serving, err = l.begin(ctx); err != nil {
			return "", "", err
		}
	}
	return l.serving.address, l.serving.key, nil
}

func (l *localServer) begin(ctx context.Context) (*serving, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	key := newKey()
	service, err := httpapi.New(l.config(key)) //nolint:contextcheck // what it starts outlives the click
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	s := &serving{
		address: "http://" + listener.Addr().String(), key: key, service: service, ended: make(chan error, 1),
		http: &http.Server{
			Handler: service, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute,
			ErrorLog: slog.NewLogLogger(l.log.Handler(), slog.LevelDebug),
		},
	}
	go func() { s.ended <- s.http.Serve(listener) }()
	return s, nil
}

// newKey returns a random key.
func newKey() string {
	random := make([]byte, keyBytes)
	_, _ = rand.Read(random) // never fails
	return base64.RawURLEncoding.EncodeToString(random)
}

// Stop implements [hosts.LocalServer]. Runs may go on until ctx ends.
func (l *localServer) Stop(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.serving
	if s == nil {
		return nil
	}
	l.serving = nil
	err := s.service.Close(ctx)
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastAnswers)
	defer cancel()
	if s.http.Shutdown(last) != nil {
		err = errors.Join(err, s.http.Close()) // connections that did not end in time
	}
	<-s.ended //nolint:errcheck // http.ErrServerClosed
	return err
}
