package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/svcflow/svc/nodes/sim"
)

// grace is how long svc-sim waits for requests when it stops.
const grace = time.Second

// networks are the simulators by the first part of their paths.
type networks struct {
	mux      *http.ServeMux
	settings func(base string) map[string]string
}

// networks makes the simulators that the command line asks for. They log their requests.
func (c *cli) networks(log io.Writer) (*networks, error) {
	seeds, faults, err := c.config()
	if err != nil {
		return nil, err
	}
	all := &networks{http.NewServeMux(), func(string) map[string]string { return map[string]string{} }}
	var turn sync.Mutex // guards log
	for _, network := range []struct {
		name  string
		limit sim.Limit
		new   func(sim.Config) (*sim.Network, error)
	}{
		{"pronet", sim.Limit{}, sim.NewPronet},
		{"microblog", sim.Limit(c.Limit), sim.NewMicroblog},
	} {
		n, err := network.new(sim.Config{
			Profile: c.Profile, Seed: seeds[network.name], Faults: faults[network.name],
			Limit: network.limit, TokenLifetime: time.Duration(c.Token), Mount: "/" + network.name,
			Log: func(r sim.Request) {
				turn.Lock()
				defer turn.Unlock()
				fmt.Fprintln(log, line(network.name, r)) //nolint:errcheck // there is nowhere left to say so
			},
		})
		if err != nil {
			return nil, fileError{err} // in the seed or the faults
		}
		all.add(network.name, n)
	}
	return all, nil
}

func (n *networks) add(name string, network *sim.Network) {
	n.mux.Handle("/"+name+"/", http.StripPrefix("/"+name, network))
	others := n.settings
	n.settings = func(base string) map[string]string {
		all := others(base)
		maps.Copy(all, network.Settings(base+"/"+name))
		return all
	}
}

// line formats a request for the log, without its body, query and token.
func line(network string, r sim.Request) string {
	outcome := "no answer"
	if r.Status != 0 {
		outcome = fmt.Sprintf("%d %s", r.Status, http.StatusText(r.Status))
	}
	return fmt.Sprintf("%s %-9s %-16s %s %q: %s", r.At.Format(time.TimeOnly), network, r.Route, r.Method, r.Path, outcome)
}

// serve prints the environment variables for svc and serves until ctx is done.
func (c *cli) serve(ctx context.Context, stdout, stderr io.Writer) error {
	n, err := c.networks(stderr)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", c.Addr)
	if err != nil {
		return fmt.Errorf("%w; choose another --addr", err)
	}
	base := address(listener.Addr())
	if _, err := io.WriteString(stdout, environment(n.settings(base))); err != nil {
		return errors.Join(err, listener.Close())
	}
	fmt.Fprintf(stderr, "svc-sim: listening on %s; the variables for svc are on standard output\n", base) //nolint:errcheck // there is nowhere left to say so
	return until(ctx, listener, n.mux)
}

// until serves until ctx is done.
func until(ctx context.Context, listener net.Listener, handler http.Handler) error {
	server := &http.Server{
		Handler: handler, ReadHeaderTimeout: 10 * time.Second,
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug), // connections that faults cut
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	if server.Shutdown(late) != nil {
		_ = server.Close() // cuts requests that have not ended
	}
	<-served //nolint:errcheck // http.ErrServerClosed
	return nil
}

// address is a URL at which this machine reaches addr.
func address(addr net.Addr) string {
	if a, ok := addr.(*net.TCPAddr); ok && a.IP.IsUnspecified() {
		addr = &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: a.Port}
	}
	return "http://" + addr.String()
}

// environment formats variables as a file that a shell reads.
func environment(settings map[string]string) string {
	var b strings.Builder
	b.WriteString("# What leads svc to the simulators. Read it into the shell that runs svc.\n")
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		fmt.Fprintf(&b, "export %s='%s'\n", name, settings[name])
	}
	return b.String()
}
