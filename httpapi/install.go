package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// Mux is the part of [http.ServeMux] that [Install] needs. Handle panics if patterns conflict, and
// matches like [http.ServeMux].
type Mux interface {
	Handle(pattern string, handler http.Handler)
}

// Install makes a [Service] and mounts it on the mux of a host (docs/design.md, HTTP). With a
// prefix, everything at and below it belongs to the service. Without a prefix, the service gets GET
// / and the paths of its routes, such as /workflows; the host keeps all others.
//
// If a pattern conflicts with one of the host, Install returns an error. The mux may then already
// have some of the patterns and should not be served.
//
// Callers must close the Service when the host no longer serves it.
//
// The service authenticates each request that mux passes to it. Before that, the mux may redirect
// addresses such as //flow to clean ones.
func Install(mux Mux, c Config) (*Service, error) {
	s, err := New(c)
	if err != nil {
		return nil, err
	}
	for _, pattern := range s.mounts() {
		if err := mount(mux, pattern, s); err != nil {
			return nil, errors.Join(err, s.Close(context.Background()))
		}
	}
	return s, nil
}

// mounts returns the patterns to mount. Each has a method, since a pattern without one conflicts
// with a host's "GET /".
func (s *Service) mounts() []string {
	if s.prefix != "" {
		return withMethods(s.prefix, s.prefix+"/")
	}
	mounts := []string{"GET /{$}", "OPTIONS /{$}"}
	for _, resource := range s.resources() {
		mounts = append(mounts, withMethods(resource)...)
	}
	return mounts
}

// resources returns the first path segments of all routes except the health check, with a slash if
// more segments can follow.
func (s *Service) resources() []string {
	var resources []string
	for _, route := range s.routes {
		path := strings.TrimPrefix(route.path, "/")
		first, _, more := strings.Cut(path, "/")
		if more {
			first += "/"
		}
		if path != "" && !slices.Contains(resources, "/"+first) {
			resources = append(resources, "/"+first)
		}
	}
	return resources
}

func withMethods(paths ...string) []string {
	var patterns []string
	for _, path := range paths {
		for _, method := range methods() {
			patterns = append(patterns, method+" "+path)
		}
	}
	return patterns
}

// methods returns the methods that the service handles, at least by refusing them. GET includes
// HEAD, as in [http.ServeMux].
func methods() []string {
	return []string{
		http.MethodDelete, http.MethodGet, http.MethodOptions, http.MethodPatch,
		http.MethodPost, http.MethodPut, http.MethodTrace,
	}
}

// mount turns the panic of a conflict into an error.
func mount(mux Mux, pattern string, s *Service) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("httpapi: mount %q: %v; choose another RoutePrefix", pattern, p)
		}
	}()
	mux.Handle(pattern, s)
	return nil
}
