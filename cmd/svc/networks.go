package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/network"
	"github.com/svcflow/svc/credentials/oauth"
)

type networksCmd struct {
	Markdown bool `help:"Print the table in docs/credentials.md."`
	outputFlag
	dataFlag
}

// Help implements kong.HelpProvider.
func (c *networksCmd) Help() string {
	return `Lists the known networks: name, the variables that set up logins, and the hosts to which tokens may be sent. DIR/networks.json adds networks.

Examples:

    svc credentials networks --data ./data`
}

// Run lists the networks.
func (c *networksCmd) Run(_ context.Context, h *host) error {
	networks, err := network.Open(c.Data)
	if err != nil {
		return usageError{Err: err}
	}
	if c.Markdown {
		return h.print(networkTable(networks))
	}
	clients := oauth.NewClients(networks, h.getenv, nil)
	t, shown := newTable("NETWORK", "LABEL", "LOGIN", "HOSTS"), []shownNetwork{}
	for _, n := range networks.All() {
		t.row(n.Name, n.Label, loginState(clients, n), dash(strings.Join(n.Hosts, " ")))
		_, err := clients.Client(n.Name)
		shown = append(shown, shownNetwork{
			Network: n.Name, Label: n.Label, Logins: n.Logins(), Ready: n.Logins() && err == nil,
			Hosts: append([]string{}, n.Hosts...),
		})
	}
	return c.answer(h, shown, t.text())
}

// shownNetwork is a network as svc credentials networks lists it.
type shownNetwork struct {
	Network string   `json:"network"`
	Label   string   `json:"label"`
	Logins  bool     `json:"logins"` // it supports logins with a browser
	Ready   bool     `json:"ready"`  // logins are set up
	Hosts   []string `json:"hosts"`  // to which tokens may be sent
}

// loginState returns whether logins at n are set up, or what to set for them.
func loginState(clients oauth.Clients, n network.Network) string {
	if !n.Logins() {
		return "-"
	}
	if _, err := clients.Client(n.Name); err != nil {
		return "set " + n.Variable(network.SettingClientID)
	}
	return "ready"
}

// networkTable returns the generated part of docs/credentials.md.
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

// codes formats words as code in a cell of a Markdown table.
func codes(words []string) string {
	if len(words) == 0 {
		return "-"
	}
	return "`" + strings.Join(words, "` `") + "`"
}
