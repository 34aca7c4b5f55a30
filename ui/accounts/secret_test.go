package accounts_test

import (
	"slices"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/uitest"
)

// choose chooses in the list of choices that has this one.
func (h *fixture) choose(option string) {
	h.t.Helper()
	for _, s := range uitest.Seen[*kit.Select](h.Object()) {
		if slices.Contains(s.Options, option) {
			s.SetSelected(option)
			return
		}
	}
	h.t.Fatalf("there is no choice %q", option)
}

// fields are the entries that are seen: the account first.
func (h *fixture) fields() []*kit.Entry { return uitest.Seen[*kit.Entry](h.Object()) }

// A key for an API is entered where a login would be begun.
func TestSetSecret(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := newFake()
		h := newHand(t, source)
		defer h.end()
		var told []string
		h.Connect("http", func(ref string) { told = append(told, ref) })
		require.Len(t, h.fields(), 3, "account, token, hosts")
		require.True(t, h.fields()[1].Password, "what is secret is not shown")
		h.choose("User and password (basic)")
		require.Len(t, h.fields(), 4)
		h.fields()[0].SetText("crm")
		h.fields()[1].SetText("ann")
		h.fields()[2].SetText("canary")
		h.fields()[3].SetText("https://crm.example")
		h.press("Connect")
		require.Contains(t, h.texts(), "hosts: one is no host")
		require.NotContains(t, h.texts(), "canary")
		require.Equal(t, "ann", h.fields()[1].Text, "what was entered stays")
		h.fields()[3].SetText("crm.example, *.crm.example")
		h.press("Connect")
		require.Equal(t, []string{"http:crm"}, told)
		require.Equal(t, []credentials.Credential{{
			Kind: credentials.KindBasic, User: "ann", Access: credentials.NewSecret("canary"), Hosts: []string{"crm.example", "*.crm.example"},
		}}, source.set)
		require.Contains(t, h.texts(), "http:crm\nConnected")
		require.Contains(t, h.texts(), "User and password (basic) · crm.example *.crm.example")
		require.NotContains(t, h.texts(), "canary")

		h.press("Reconnect")
		require.Equal(t, "crm", h.fields()[0].Text)
		require.Len(t, h.fields(), 4, "of its kind")
		require.Empty(t, h.fields()[2].Text, "nobody knows the old one")
	})
}

// A secret that cannot be stored is reported, and can be submitted again.
func TestSetSecretFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := newFake()
		source.verdicts["pronet:main"] = credentials.ErrReadOnly
		h := newHand(t, source)
		defer h.end()
		h.Connect("pronet", nil)
		require.Len(t, h.fields(), 1, "a login asks for nothing else")
		h.choose("Token (bearer)")
		h.fields()[1].SetText("canary")
		h.press("Connect")
		require.Contains(t, h.texts(), credentials.ErrReadOnly.Error())
		require.Equal(t, "canary", h.fields()[1].Text)
		delete(source.verdicts, "pronet:main")
		h.press("Connect")
		require.Contains(t, h.texts(), "pronet:main\nConnected")
	})
}
