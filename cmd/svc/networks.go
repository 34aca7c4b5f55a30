package main

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/network"
	"github.com/svcflow/svc/credentials/oauth"
)

type networksCmd struct {
	Markdown bool `help:"Print the table that docs/credentials.md has."`
	dataFlag
}

// Help implements kong.HelpProvider.
func (c *networksCmd) Help() string {
	return `Lists what accounts can be of: name, what sets it up for logins, and the hosts that its tokens may go to. DIR/networks.json adds networks.

Examples:

    svc credentials networks --data ./data`
}

// Run lists the networks.
func (c *networksCmd) Run(_ context.Context, h *host) error {
	networks, err := network.Open(c.Data)
	if err != nil {
		return usageError{err}
	}
	if c.Markdown {
		return h.print(networkTable(networks))
	}
	clients := oauth.NewClients(networks, h.getenv, nil)
	w := tabwriter.NewWriter(h.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NETWORK\tLABEL\tLOGIN\tHOSTS") //nolint:errcheck // Flush says it
	for _, n := range networks.All() {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", n.Name, oneLine(n.Label), loginState(clients, n), dash(strings.Join(n.Hosts, " "))) //nolint:errcheck // Flush says it
	}
	return w.Flush()
}

// loginState says whether accounts can be logged in at n, or what to set for that.
func loginState(clients oauth.Clients, n network.Network) string {
	if !n.Logins() {
		return "-"
	}
	if _, err := clients.Client(n.Name); err != nil {
		return "set " + n.Variable(network.SettingClientID)
	}
	return "ready"
}

// networkTable is the part of docs/credentials.md that is made from the table.
func networkTable(networks network.Table) string {
	var b strings.Builder
	b.WriteString("| network | | an account's variable | logins are set up by | scopes that logins ask for | its tokens go to |\n|---|---|---|---|---|---|\n")
	for _, n := range networks.All() {
		login := "-"
		if n.Logins() {
			login = "`" + n.Variable(network.SettingClientID) + "` …"
		}
		fmt.Fprintf(&b, "| `%s` | %s | `%s` | %s | %s | %s |\n", n.Name, cell(n.Label), network.Variable(credentials.Ref(n.Name+":main")), login, codes(n.Scopes), codes(n.Hosts))
	}
	return b.String()
}

// codes lists words in a cell of a table.
func codes(words []string) string {
	if len(words) == 0 {
		return "-"
	}
	return "`" + strings.Join(words, "` `") + "`"
}

// dash stands for an empty column.
func dash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}
