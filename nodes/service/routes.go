package service

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// Routes maps the calls of a network's nodes to requests. A plugin embeds it as a JSON
// file, with one profile for each version of the API.
type Routes struct {
	Profiles map[string]Profile `json:"profiles"`
}

// The names of the profiles.
const (
	ProfileSpec = "spec" // the calls that the specification lists
	ProfileLive = "live" // the calls of the network's current public API
)

// Profile is one version of a network's API.
type Profile struct {
	// Path is the path of the API if the base address has no path.
	Path  string           `json:"path"`
	Calls map[string]Route `json:"calls"` // by the name of the call
}

// Route is the request of one call.
type Route struct {
	Method string `json:"method"`
	// Path is appended to the base address. {name} is replaced by a value of the call, {me}
	// by the id of the account.
	Path  string            `json:"path"`
	Query map[string]string `json:"query"` // sent with every request
	// Scope is the scope that the token needs.
	Scope string `json:"scope"`
	// Once marks calls that must not happen twice. Without an answer it is unknown
	// whether the call has happened, so it is not sent again.
	Once bool `json:"once"`
	// Unsupported says, as a sentence, why the network does not offer the call.
	Unsupported string `json:"unsupported"`
	Page        Page   `json:"page"`
}

// Page describes how a call requests a part of a list.
type Page struct {
	Size   string `json:"size"`   // parameter for the number of items
	Cursor string `json:"cursor"` // parameter for the cursor
	Min    int    `json:"min"`    // smallest number of items that the network accepts
	Max    int    `json:"max"`    // largest number
}

var placeholder = regexp.MustCompile(`\{([a-z_]+)\}`)

// ParseRoutes parses a table of routes. Both profiles must be present and have the same
// calls. An error names the call that is wrong.
func ParseRoutes(table []byte) (Routes, error) {
	var r Routes
	d := json.NewDecoder(bytes.NewReader(table))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		return r, fmt.Errorf("routes: %w", err)
	}
	spec, live := r.Profiles[ProfileSpec].Calls, r.Profiles[ProfileLive].Calls
	names := slices.Sorted(maps.Keys(spec))
	if len(names) == 0 || !slices.Equal(names, slices.Sorted(maps.Keys(live))) {
		return r, fmt.Errorf("routes: the profiles %s and %s need the same calls", ProfileSpec, ProfileLive)
	}
	for _, name := range names {
		for _, route := range []Route{spec[name], live[name]} {
			if err := route.check(); err != nil {
				return r, fmt.Errorf("routes: %s: %w", name, err)
			}
		}
	}
	return r, nil
}

func (r Route) check() error {
	switch {
	case r.Unsupported != "":
		return nil
	case r.Method != http.MethodGet && r.Method != http.MethodPost:
		return fmt.Errorf("method %q is neither GET nor POST", r.Method)
	case !strings.HasPrefix(r.Path, "/"), strings.ContainsAny(placeholder.ReplaceAllString(r.Path, ""), "{}?#"):
		return fmt.Errorf("path %q is malformed", r.Path)
	case r.Page.Size != "" && (r.Page.Min < 1 || r.Page.Max < r.Page.Min):
		return fmt.Errorf("a page holds %d to %d items", r.Page.Min, r.Page.Max)
	}
	return nil
}

// profileFor returns the name of the profile to use: the one that the operator chose,
// else live if the address is that of the real network, else spec.
func (r Routes) profileFor(chosen string, isReal bool) (string, error) {
	switch {
	case chosen != "":
		if _, ok := r.Profiles[chosen]; !ok {
			return "", fmt.Errorf("is neither %s nor %s", ProfileSpec, ProfileLive)
		}
		return chosen, nil
	case isReal:
		return ProfileLive, nil
	}
	return ProfileSpec, nil
}
