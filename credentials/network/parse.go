package network

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
)

// File is the name of the file in a data directory that adds networks.
const File = "networks.json"

// Open returns the networks that come with Svc, those in the file of a data directory, if
// it exists, and more. Its error lists all mistakes in the file and in more, one per line.
func Open(dataDir string, more ...Network) (Table, error) {
	text, err := os.ReadFile(filepath.Join(dataDir, File))
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR): // code that needs the directory reports the error
		return Shipped().With(more...)
	case err != nil:
		return Table{}, err
	}
	added, err := Parse(text)
	if err != nil {
		return Table{}, fmt.Errorf("%s: %w", File, err)
	}
	t, err := Shipped().With(added...)
	if err != nil {
		return Table{}, fmt.Errorf("%s: %w", File, err)
	}
	return t.With(more...)
}

// Parse parses an array of entries with the fields of [Network]. Its error names all fields
// that are unknown or of a wrong type. It does not validate the values; [Table.With] does.
func Parse(text []byte) ([]Network, error) {
	var entries []map[string]json.RawMessage
	if err := json.Unmarshal(text, &entries); err != nil {
		return nil, fmt.Errorf("expected an array of networks: %w", err)
	}
	networks := make([]Network, len(entries))
	var errs []error
	for i, entry := range entries {
		for _, field := range slices.Sorted(maps.Keys(entry)) {
			if err := networks[i].decode(field, entry[field]); err != nil {
				errs = append(errs, fmt.Errorf("network %d: %s: %w", i+1, field, err))
			}
		}
	}
	return networks, errors.Join(errs...)
}

// decode sets one field.
func (n *Network) decode(field string, text json.RawMessage) error {
	name, _ := json.Marshal(field) // encoding a string cannot fail
	d := json.NewDecoder(bytes.NewReader(slices.Concat([]byte("{"), name, []byte(":"), text, []byte("}"))))
	d.DisallowUnknownFields()
	err := d.Decode(n)
	if kind, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("expected a %s", kind.Type)
	}
	if err != nil {
		return errors.New("there is no such field")
	}
	return nil
}

var (
	namePattern    = regexp.MustCompile(`^[a-z][a-z0-9]{0,31}$`)
	settingPattern = regexp.MustCompile(`^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$`)
)

// check returns everything that is wrong with a complete entry.
func (n Network) check() []error {
	c := checker{name: n.Name}
	c.must(namePattern.MatchString(n.Name), "name", "has to be up to 32 lower-case letters and digits, a letter first")
	c.must(n.Kind == KindOAuth || n.Kind == KindSecret || n.Kind == KindAny, "kind", "is none of oauth2, secret and any")
	c.must(n.PKCE == PKCERequired || n.PKCE == PKCENever, "pkce", "is neither required nor never")
	c.must(n.AuthStyle == AuthBasic || n.AuthStyle == AuthBody, "authStyle", "is neither basic nor body")
	c.address("authUrl", n.AuthURL)
	c.address("tokenUrl", n.TokenURL)
	c.address("revokeUrl", n.RevokeURL)
	c.address("apiUrl", n.APIURL)
	c.address("profileUrl", n.ProfileURL)
	for _, host := range n.Hosts {
		if err := CheckHost(host); err != nil {
			c.must(false, "hosts", err.Error())
		}
	}
	for _, scope := range n.Scopes {
		c.must(scope != "" && !strings.ContainsAny(scope, " \t\r\n"), "scopes", "has one that is empty or has a space in it")
	}
	for _, name := range slices.Sorted(maps.Keys(n.AuthorizeParams)) {
		c.must(!isOwnParameter(name), "authorizeParams", "may not have "+name+", which each login sets itself")
	}
	for _, setting := range slices.Concat(n.Settings, n.AccountSettings) {
		c.must(settingPattern.MatchString(setting), "settings", "has one that is not made of upper-case letters, digits and single _")
	}
	return c.problems
}

// isOwnParameter reports whether logins set this parameter themselves.
func isOwnParameter(name string) bool {
	switch name {
	case "", "response_type", "client_id", "redirect_uri", "scope", "state", "code_challenge", "code_challenge_method":
		return true
	}
	return false
}

// checker collects the mistakes in an entry.
type checker struct {
	name     string
	problems []error
}

func (c *checker) must(ok bool, field, what string) {
	if !ok {
		c.problems = append(c.problems, fmt.Errorf("network %q: %s %s", c.name, field, what))
	}
}

func (c *checker) address(field, text string) {
	if text == "" {
		return
	}
	if err := CheckAddress(text); err != nil {
		c.must(false, field, err.Error())
	}
}
