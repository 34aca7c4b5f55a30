// Package keys describes the named keys of a service: their names, scopes and budgets. Package ring
// stores them.
package keys

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Prefix begins every named key, so that those who look for leaked secrets find it.
const Prefix = "svc_"

// Scope is something that a key may do.
type Scope string

// The scopes. Each route asks for one of them.
const (
	Read        Scope = "read"        // see everything but credentials and keys
	Run         Scope = "run"         // run workflows, stored ones and others, and end runs
	Write       Scope = "write"       // change what is stored
	Credentials Scope = "credentials" // connect, change and see accounts
	Hooks       Scope = "hooks"       // arm and disarm what starts runs by itself
	Admin       Scope = "admin"       // everything, keys included
)

// All returns every scope, the lesser ones first.
func All() []Scope { return []Scope{Read, Run, Write, Credentials, Hooks, Admin} }

// Budget bounds what may be done with a key. A field that is 0 bounds nothing.
type Budget struct {
	// Runs is how many runs may go on at once.
	Runs int `json:"runs,omitempty"`
	// RequestsPerMinute is how many requests are answered in a minute, in the long run;
	// as many may come at once.
	RequestsPerMinute int `json:"requestsPerMinute,omitempty"`
	// BytesPerDay is how long the bodies of requests and answers of a day may be, in
	// UTC, all together.
	BytesPerDay int64 `json:"bytesPerDay,omitempty"`
}

// Request says which key to make.
type Request struct {
	Name   string  `json:"name"`
	Scopes []Scope `json:"scopes"`
	Budget Budget  `json:"budget,omitzero"`
}

// Key describes a key. The key itself is in Made only.
type Key struct {
	Request

	CreatedAt time.Time `json:"createdAt"`
	// LastUsedAt is when the key was used last, to the minute; zero for never.
	LastUsedAt time.Time `json:"lastUsedAt,omitzero"`
	// BytesToday is what counts for Budget.BytesPerDay.
	BytesToday int64 `json:"bytesToday,omitempty"`
}

// Made is a new key, with what clients send. Nobody can tell it a second time.
type Made struct {
	Key

	Secret string `json:"key"`
}

// Names of callers that are no named keys.
const (
	Main      = "main"      // the key of the configuration
	Anonymous = "anonymous" // where none is asked for
)

var name = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,62}$`)

// Check says what is wrong with r. It brings the scopes into their order.
func (r *Request) Check() error {
	switch {
	case !name.MatchString(r.Name):
		return errors.New("a key is named by up to 63 lower-case letters, digits and . _ -, and begins with a letter or a digit")
	case r.Name == Main || r.Name == Anonymous:
		return fmt.Errorf("%s is what callers without a named key are called; choose another name", r.Name)
	case len(r.Scopes) == 0:
		return errors.New("a key has at least one scope, of " + Words(All()))
	case r.Budget.Runs < 0 || r.Budget.RequestsPerMinute < 0 || r.Budget.BytesPerDay < 0:
		return errors.New("budgets are numbers from 0 on; 0 is no bound")
	}
	for _, scope := range r.Scopes {
		if !slices.Contains(All(), scope) {
			return fmt.Errorf("there is no scope %.40q; there are %s", string(scope), Words(All()))
		}
	}
	slices.SortFunc(r.Scopes, func(a, b Scope) int { return slices.Index(All(), a) - slices.Index(All(), b) })
	r.Scopes = slices.Compact(r.Scopes)
	return nil
}

// Allow reports whether who has these scopes may do what asks for one.
func Allow(scopes []Scope, asked Scope) bool {
	return slices.Contains(scopes, asked) || slices.Contains(scopes, Admin)
}

// Words lists scopes for people.
func Words(scopes []Scope) string {
	words := make([]string, len(scopes))
	for i, scope := range scopes {
		words[i] = string(scope)
	}
	return strings.Join(words, ", ")
}
