package network

import (
	"cmp"
	_ "embed" // for the table
	"errors"
	"fmt"
	"slices"

	"github.com/svcflow/svc/engine/value"
)

//go:embed networks.json
var shipped []byte

// Table holds networks, sorted by name. The zero Table has none. It is never changed,
// so it is safe for concurrent use.
type Table struct{ networks []Network }

// Shipped returns the networks that come with Svc.
func Shipped() Table {
	networks, err := Parse(shipped)
	if err == nil {
		var t Table
		if t, err = t.With(networks...); err == nil {
			return t
		}
	}
	panic(fmt.Sprintf("the table of networks: %v", err)) // every test would fail
}

// With returns a table with additional networks. Its error joins one error for each
// mistake.
func (t Table) With(networks ...Network) (Table, error) {
	all := slices.Clone(t.networks)
	var errs []error
	for _, n := range networks {
		n = n.complete()
		if slices.ContainsFunc(all, func(other Network) bool { return other.Name == n.Name }) {
			errs = append(errs, fmt.Errorf("network %s: it is in the table already; its addresses and scopes are set by variables such as %s", n.Name, n.Variable(SettingAuthURL)))
			continue
		}
		errs = append(errs, n.check()...)
		all = append(all, n)
	}
	if err := errors.Join(errs...); err != nil {
		return Table{}, err
	}
	slices.SortFunc(all, func(a, b Network) int { return cmp.Compare(a.Name, b.Name) })
	return Table{all}, nil
}

// All returns the networks, sorted by name.
func (t Table) All() []Network { return slices.Clone(t.networks) }

// Names returns the names of the networks, sorted.
func (t Table) Names() []string { return t.names(func(Network) bool { return true }) }

// WithLogins returns the names of the networks whose accounts are connected by a
// login, sorted.
func (t Table) WithLogins() []string { return t.names(Network.Logins) }

func (t Table) names(take func(Network) bool) []string {
	names := make([]string, 0, len(t.networks))
	for _, n := range t.networks {
		if take(n) {
			names = append(names, n.Name)
		}
	}
	return names
}

// Lookup returns the network of this name.
func (t Table) Lookup(name string) (Network, bool) {
	i, ok := slices.BinarySearchFunc(t.networks, name, func(n Network, name string) int { return cmp.Compare(n.Name, name) })
	if !ok {
		return Network{}, false
	}
	return t.networks[i], true
}

// Allows reports whether an account can have this reference: it is well formed, its network
// is in the table, and its variable is not one that configures the network or an account.
func (t Table) Allows(ref value.Credential) bool {
	if _, err := value.ParseCredential(string(ref)); err != nil {
		return false
	}
	n, ok := t.Lookup(ref.Network())
	return ok && !n.reserves(ref.Account())
}
