// Command host is an application in another module that embeds Svc: two services next to the host's
// routes, behind the host's middleware.
//
//	host serve DIR    serve both until SIGINT
//	host defaults     serve one with the zero Config until SIGINT
//	host taken        install a service where the host has a route already
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"time"

	"github.com/svcflow/svc/httpapi"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /about", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "the host") })
	var services []*httpapi.Service
	var err error
	switch {
	case len(args) == 2 && args[0] == "serve":
		services, err = installBoth(mux, args[1])
	case len(args) == 1 && args[0] == "defaults":
		services, err = install(mux, httpapi.Config{})
	case len(args) == 1 && args[0] == "taken":
		mux.HandleFunc("POST /flow/", http.NotFound)
		services, err = install(mux, httpapi.Config{RoutePrefix: "flow", APIKey: "the-key-of-flow-0123456789"})
	default:
		err = errors.New("usage: host serve DIR | defaults | taken")
	}
	if err != nil {
		return err
	}
	return serve(ctx, counted(mux), services)
}

// installBoth mounts two services that share only the directory. Each has a separate folder for its
// runs.
func installBoth(mux *http.ServeMux, dir string) ([]*httpapi.Service, error) {
	flow := httpapi.Config{RoutePrefix: "/flow", APIKey: "the-key-of-flow-0123456789", Store: &memory{}, DataDir: dir}
	flow.Plugins(shouting{})
	services, err := install(mux, flow)
	if err != nil {
		return nil, err
	}
	// The host authenticates the callers of the second service.
	guarded := http.NewServeMux()
	open, err := install(guarded, httpapi.Config{RoutePrefix: "team/two", AllowAnonymous: true, DataDir: dir})
	if err != nil {
		return nil, err
	}
	mux.Handle("/team/two/", members(guarded))
	return append(services, open...), nil
}

func install(mux *http.ServeMux, c httpapi.Config) ([]*httpapi.Service, error) {
	s, err := httpapi.Install(mux, c)
	return []*httpapi.Service{s}, err
}

// members is a middleware that admits users known to the host.
func members(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, password, _ := r.BasicAuth(); password != "the-password-of-the-host" {
			http.Error(w, "members only", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// counted is a middleware around everything.
func counted(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Host", "yes")
		next.ServeHTTP(w, r)
	})
}

// serve answers requests until ctx ends, and then closes the services.
func serve(ctx context.Context, handler http.Handler, services []*httpapi.Service) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	fmt.Println("http://" + listener.Addr().String())
	<-ctx.Done()

	last, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	var failed []error
	for _, s := range services {
		failed = append(failed, s.Close(last)) // before the server, so that event streams end
	}
	failed = append(failed, server.Shutdown(last))
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		failed = append(failed, err)
	}
	return errors.Join(failed...)
}
