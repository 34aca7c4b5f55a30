package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// Mux is the part of [http.ServeMux] that [Install] needs. Handle panics when a
// pattern conflicts with another one, and matches as http.ServeMux does.
type Mux interface {
	Handle(pattern string, handler http.Handler)
}

// Install makes a [Service] and mounts it on the mux of a host (docs/design.md, HTTP).
// With a prefix, everything at and below it belongs to the service. Without one
// it is GET / and what its routes begin with, such as /workflows; the host keeps
// all else.
//
// A pattern that conflicts with one of the host's is an error. By then mux may
// have some of the patterns, so it should not be served.
//
// Callers must close the Service when the host no longer serves it.
//
// The service decides who may come in for each request that mux hands to it. The
// mux itself, before that, redirects addresses such as //flow to cleaner ones.
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

// mounts returns the patterns at which a host has to mount s. Each has a method,
// since a pattern without one conflicts with a host's "GET /".
func (s *Service) mounts() []string {
	if s.prefix != "" {
		return withMethods(s.prefix, s.prefix+"/")
	}
	mounts := []string{"GET /{$}"}
	for _, resource := range s.resources() {
		mounts = append(mounts, withMethods(resource)...)
	}
	return mounts
}

// resources returns the first segments of all routes but the health check, with
// a slash behind those that more can follow.
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

// methods are those that a service answers itself, if only with a refusal. GET
// includes HEAD, as http.ServeMux has it.
func methods() []string {
	return []string{
		http.MethodDelete, http.MethodGet, http.MethodOptions, http.MethodPatch,
		http.MethodPost, http.MethodPut, http.MethodTrace,
	}
}

// mount turns the panic about a conflict into an error.
func mount(mux Mux, pattern string, s *Service) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("httpapi: mount %q: %v; choose another RoutePrefix", pattern, p)
		}
	}()
	mux.Handle(pattern, s)
	return nil
}
