// Package value has the values that travel along the wires of a workflow, and the types of
// ports.
//
// A value is one of a fixed set of kinds, represented by Go's own types, so that libraries
// for JSON, queries and expressions accept it directly:
//
//	null        nil
//	bool        bool
//	int         int (64 bit)
//	float       float64, always finite
//	string      string, always valid UTF-8
//	list        []any
//	record      map[string]any
//	credential  [Credential], a reference and never a secret
//	media       [Media]
//
// Values are immutable once a node has emitted them, because nodes, goroutines and readers
// of results share them. On the wire they are plain JSON; types belong to ports and are
// never in the data. An absent value is a missing entry of a map, never null.
//
// The package does not depend on nodes, workflows or runs.
package value

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Value is any of the Go types listed in the package documentation. It is an alias of any:
// [Check] verifies the set at run time.
type Value = any

// ErrNotFinite means that a float is NaN or infinite, which JSON cannot represent.
var ErrNotFinite = errors.New("not a finite number")

// Credential is a reference to a secret, such as "pronet:main": a network and an account.
// It never contains the secret.
type Credential string

var credentialPattern = regexp.MustCompile(`^[a-z][a-z0-9]{0,31}:[a-z0-9]([a-z0-9_-]{0,62}[a-z0-9])?$`)

// errNotCredential does not contain the refused text: it may be a pasted token.
var errNotCredential = errors.New(`not a credential reference; write network:account, for example "pronet:main"`)

// ParseCredential checks that s is a reference of the form network:account. Its error never
// contains s, which may be a secret in the wrong place.
func ParseCredential(s string) (Credential, error) {
	if !credentialPattern.MatchString(s) {
		return "", errNotCredential
	}
	return Credential(s), nil
}

// Network returns the part before the colon.
func (c Credential) Network() string {
	network, _, _ := strings.Cut(string(c), ":")
	return network
}

// Account returns the part after the colon.
func (c Credential) Account() string {
	_, account, _ := strings.Cut(string(c), ":")
	return account
}

// KindOf returns the name of v's kind for error messages: "null", "int", "list" and so on,
// or "foreign" if v is not a value.
func KindOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "bool"
	case int:
		return "int"
	case float64:
		return "float"
	case string:
		return "string"
	case []any:
		return "list"
	case map[string]any:
		return "record"
	case Credential:
		return "credential"
	case Media:
		return "media"
	}
	return "foreign"
}

// MaxDepth is the maximum nesting of lists and records, in values and in JSON text.
const MaxDepth = 1000

// Check checks a value from foreign code: it reports the first part of v that is not a
// value. A float that is not finite is an error that wraps [ErrNotFinite]; a value that is
// too large is [ErrTooBig]. Errors never contain values.
func Check(v any) error {
	if err := Bound(v); err != nil {
		return err
	}
	return check(v)
}

func check(v any) error {
	switch v := v.(type) {
	case nil, bool, int:
		return nil
	case string:
		return checkText(v)
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return ErrNotFinite
		}
		return nil
	case []any:
		return checkList(v)
	case map[string]any:
		return checkRecord(v)
	case Credential:
		_, err := ParseCredential(string(v))
		return err
	case Media:
		return v.check()
	}
	return fmt.Errorf("the Go type %T is no value; use nil, bool, int, float64, string, []any or map[string]any", v)
}

func checkText(s string) error {
	if !utf8.ValidString(s) {
		return errors.New("not valid UTF-8")
	}
	return nil
}

func checkList(list []any) error {
	for i, e := range list {
		if err := check(e); err != nil {
			return within(fmt.Sprintf("[%d]", i), err)
		}
	}
	return nil
}

func checkRecord(record map[string]any) error {
	for k, e := range record {
		err := checkText(k)
		if err == nil {
			err = check(e)
		}
		if err != nil {
			return within(strconv.Quote(k), err)
		}
	}
	return nil
}

// within adds the position of err.
func within(place string, err error) error { return fmt.Errorf("%s: %w", place, err) }
