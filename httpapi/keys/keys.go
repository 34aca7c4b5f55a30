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

// Prefix is the prefix of every named key, by which secret scanners recognize it.
const Prefix = "svc_"

// Scope is a permission of a key.
type Scope string

// The scopes. Each route requires one of them.
const (
	Read        Scope = "read"        // read everything except credentials and keys
	Run         Scope = "run"         // run stored workflows; cancel and resume runs
	Execute     Scope = "execute"     // run any document, and change documents for a run
	Write       Scope = "write"       // change stored workflows and data
	Credentials Scope = "credentials" // connect, change and list accounts
	Hooks       Scope = "hooks"       // activate and deactivate triggers
	Admin       Scope = "admin"       // everything, including keys
)

// All returns all scopes, from the least to the most powerful.
func All() []Scope { return []Scope{Read, Run, Execute, Write, Credentials, Hooks, Admin} }

// Budget limits the use of a key. A zero field means no limit.
type Budget struct {
	// Runs is the largest number of concurrent runs.
	Runs int `json:"runs,omitempty"`
	// RequestsPerMinute is the long-term rate of requests. As many requests may come in a burst.
	RequestsPerMinute int `json:"requestsPerMinute,omitempty"`
	// BytesPerDay is the total size of the bodies of requests and answers per UTC day.
	BytesPerDay int64 `json:"bytesPerDay,omitempty"`
}

// Request describes a key to be made.
type Request struct {
	Name   string  `json:"name"`
	Scopes []Scope `json:"scopes"`
	// Workflows are patterns of the ids of the workflows that the key may use; all if there are
	// none. In a pattern, * stands for any characters and \* for an asterisk.
	Workflows []string `json:"workflows,omitempty"`
	Budget    Budget   `json:"budget,omitzero"`
}

// Key describes a key, without its secret.
type Key struct {
	Request

	CreatedAt time.Time `json:"createdAt"`
	// LastUsedAt is when the key was last used, to the minute; zero if never.
	LastUsedAt time.Time `json:"lastUsedAt,omitzero"`
	// BytesToday is today's use of Budget.BytesPerDay.
	BytesToday int64 `json:"bytesToday,omitempty"`
}

// Made is a new key with its secret, which cannot be retrieved again.
type Made struct {
	Key

	Secret string `json:"key"`
}

// Names of callers without a named key.
const (
	Main      = "main"      // the key of the configuration
	Anonymous = "anonymous" // authentication is turned off
)

var name = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,62}$`)

// Check returns an error if r is invalid. It sorts the scopes.
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
	return r.checkWorkflows()
}

// Allow reports whether scopes permit what requires the scope asked.
func Allow(scopes []Scope, asked Scope) bool {
	return slices.Contains(scopes, asked) || slices.Contains(scopes, Admin)
}

// Words lists scopes for messages.
func Words(scopes []Scope) string {
	words := make([]string, len(scopes))
	for i, scope := range scopes {
		words[i] = string(scope)
	}
	return strings.Join(words, ", ")
}
