package serving

import (
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/svcflow/svc/cmd/internal/program"
	"github.com/svcflow/svc/httpapi"
)

// Listen has the flags for the listener of a server.
type Listen struct {
	Addr           string `default:"0.0.0.0:8080" variable:"SVC_ADDR" placeholder:"HOST:PORT" help:"Address to listen on; port 0 takes any free one."`
	TLSCert        string `name:"tls-cert" variable:"SVC_TLS_CERT" placeholder:"FILE" help:"Serve HTTPS with the certificate chain in this PEM file, the server's certificate first. Changed files are read again."`
	TLSKey         string `name:"tls-key" variable:"SVC_TLS_KEY" placeholder:"FILE" help:"PEM file with the private key of --tls-cert."`
	H2C            bool   `name:"h2c" variable:"SVC_H2C" help:"Also accept HTTP/2 without TLS, for proxies that use it."`
	MaxConnections int    `default:"10000" variable:"SVC_MAX_CONNECTIONS" placeholder:"N" help:"Maximum number of simultaneous connections."`
	MaxPerAddress  int    `default:"1000" variable:"SVC_MAX_PER_ADDRESS" placeholder:"N" help:"Maximum number of simultaneous connections from one address. Behind a proxy, all come from the address of the proxy."`
}

// check returns an error for flags that contradict each other.
func (f *Listen) check() error {
	switch {
	case (f.TLSCert == "") != (f.TLSKey == ""):
		return program.Usagef("--tls-cert and --tls-key go together: one file has the certificate, the other its key")
	case f.H2C && f.TLSCert != "":
		return program.Usagef("--h2c is for servers without TLS; with --tls-cert, HTTP/2 is spoken anyway")
	case f.MaxConnections < 1, f.MaxPerAddress < 1:
		return program.Usagef("--max-connections and --max-per-address are numbers from 1 on")
	}
	return nil
}

// entrance is the listener of a server with its TLS configuration.
type entrance struct {
	net.Listener

	tls *tls.Config // nil for plain HTTP
	h2c bool
}

// listen opens the entrance.
func (f *Listen) open(log *slog.Logger) (*entrance, error) {
	e := &entrance{h2c: f.H2C}
	if f.TLSCert != "" {
		certificate, err := openCertificate(f.TLSCert, f.TLSKey, log)
		if err != nil {
			return nil, err
		}
		e.tls = &tls.Config{GetCertificate: certificate.get, MinVersion: tls.VersionTLS12}
	}
	var err error
	if e.Listener, err = net.Listen("tcp", f.Addr); err != nil {
		return nil, fmt.Errorf("%w; choose another --addr", err)
	}
	e.Listener = httpapi.Guard{Connections: f.MaxConnections, PerAddress: f.MaxPerAddress}.Listen(e.Listener)
	return e, nil
}

// serve answers requests until server is closed.
func (e *entrance) serve(server *http.Server) error {
	if e.tls != nil {
		server.TLSConfig = e.tls
		return server.ServeTLS(e.Listener, "", "")
	}
	server.Protocols = new(http.Protocols)
	server.Protocols.SetHTTP1(true)
	server.Protocols.SetUnencryptedHTTP2(e.h2c)
	return server.Serve(e.Listener)
}

// url returns a URL at which this machine reaches the entrance.
func (e *entrance) url() string {
	if e.tls != nil {
		return "https://" + hostOf(e.Addr())
	}
	return "http://" + hostOf(e.Addr())
}

// hostOf returns host and port at which this machine reaches addr.
func hostOf(addr net.Addr) string {
	if a, ok := addr.(*net.TCPAddr); ok && a.IP.IsUnspecified() {
		addr = &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: a.Port}
	}
	return addr.String()
}

// everywhere returns a note if addr is not one address but all addresses of this machine.
func everywhere(addr net.Addr) string {
	if a, ok := addr.(*net.TCPAddr); ok && a.IP.IsUnspecified() {
		return " and on all other addresses of this machine"
	}
	return ""
}

// Probes has the flag for a listener for monitoring.
type Probes struct {
	ProbeAddr string `variable:"SVC_PROBE_ADDR" placeholder:"HOST:PORT" help:"Address of a separate listener without a key that serves only /healthz, /readyz and /metrics. By default none."`
}

// probeTimeout bounds reading a probe's request, and writing the answer.
const probeTimeout = 10 * time.Second

// probe starts the listener for probes, if its flag is set, and returns its address. It
// answers while the server drains, until stop is called.
func (f *Probes) open(probes http.Handler, log *slog.Logger) (at net.Addr, stop func(), err error) {
	if f.ProbeAddr == "" {
		return nil, func() {}, nil
	}
	listener, err := net.Listen("tcp", f.ProbeAddr)
	if err != nil {
		return nil, nil, fmt.Errorf("%w; choose another --probe-addr", err)
	}
	server := &http.Server{
		Handler: probes, ReadTimeout: probeTimeout, WriteTimeout: probeTimeout, MaxHeaderBytes: 8 << 10,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	served := make(chan struct{})
	go func() {
		defer close(served)
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			log.Error("probes are no longer answered", slog.Any("error", err))
		}
	}()
	return listener.Addr(), func() {
		_ = server.Close() // cuts probes, which are sent again
		<-served
	}, nil
}
