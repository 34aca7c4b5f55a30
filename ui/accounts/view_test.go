package accounts_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/credentials"
)

func valid(ref credentials.Ref) credentials.Status {
	return credentials.Status{Ref: ref, Source: "keyring", State: "valid"}
}

func TestList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		old := valid("pronet:old")
		old.State = "reauthorize"
		bot := valid("microblog:bot")
		bot.Scopes, bot.ExpiresAt = []string{"read", "write"}, time.Now().Add(90*time.Minute)
		h := newHand(t, newFake(bot, old))
		defer h.end()
		require.Contains(t, h.texts(), "microblog:bot\nConnected\nIn the keyring · 1 h left\nread, write\n")
		require.Contains(t, h.texts(), "Log in again")
		require.Contains(t, h.texts(), "Press Reconnect and log in again.")
		require.Contains(t, h.texts(), "Accounts are kept in the keyring of this computer.")
		require.Nil(t, h.button("Try again"))
	})
}

func TestListIsEmptyOrBroken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := newFake()
		h := newHand(t, source)
		defer h.end()
		require.Contains(t, h.texts(), "No account is connected.")
		require.Nil(t, h.button("Try again"))
		source.broken = errors.New("the server does not answer: is it running?")
		h.Reload()
		h.settle()
		require.Contains(t, h.texts(), "is it running?")
		require.NotContains(t, h.texts(), "No account is connected.")
		source.broken = nil
		source.accounts = append(source.accounts, valid("pronet:main"))
		h.press("Try again")
		require.Contains(t, h.texts(), "pronet:main")
		require.NotContains(t, h.texts(), "is it running?")
	})
}

func TestAdviceGoesWithTheState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		old := valid("pronet:main")
		old.State = "malformed"
		source := newFake(old)
		h := newHand(t, source)
		defer h.end()
		require.Contains(t, h.texts(), "Press Reconnect to replace it.")
		h.press("Test")
		require.Contains(t, h.texts(), "It works.", "what the user did counts")
		source.accounts[0].State = "expired"
		h.Reload()
		h.settle()
		require.Contains(t, h.texts(), "It works.")

		source.accounts = append(source.accounts, valid("pronet:other"))
		source.accounts[1].State = "expired"
		h.Reload()
		h.settle()
		require.Contains(t, h.texts(), "Press Test to renew it.")
		source.accounts[1].State = "valid"
		h.Reload()
		h.settle()
		require.NotContains(t, h.texts(), "Press Test to renew it.")
	})
}

func TestTestAnAccount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := newFake(valid("pronet:main"))
		h := newHand(t, source)
		defer h.end()
		h.press("Test")
		require.Contains(t, h.texts(), "It works.")
		source.verdicts["pronet:main"] = errors.New("the network refuses this account: log in again")
		h.press("Test")
		require.Contains(t, h.texts(), "the network refuses this account: log in again")
		require.NotContains(t, h.texts(), "It works.")
		require.False(t, h.button("Test").Disabled())
	})
}

func TestDisconnect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := newFake(valid("microblog:bot"), valid("pronet:main"))
		h := newHand(t, source)
		defer h.end()
		h.press("Disconnect")
		require.Len(t, h.questions, 1)
		require.Contains(t, h.questions[0], "Disconnect microblog:bot?")
		require.Contains(t, h.texts(), "microblog:bot", "the answer was no")
		h.answer = true
		h.press("Disconnect")
		require.NotContains(t, h.texts(), "microblog:bot")
		require.Contains(t, h.texts(), "pronet:main")
		require.Equal(t, 1, h.changes)

		source.verdicts["pronet:main"] = errors.New("the environment owns this account")
		h.press("Disconnect")
		require.Contains(t, h.texts(), "the environment owns this account")
	})
}

func TestStorageThatIsNotFine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := newFake()
		source.locked = 2
		h := newHand(t, source)
		defer h.end()
		require.Contains(t, h.texts(), "The keyring is locked")
		h.press("Try again")
		require.Contains(t, h.texts(), "The keyring is locked")
		h.press("Try again")
		require.Contains(t, h.texts(), "Accounts are kept in the keyring of this computer.")
		require.Nil(t, h.button("Try again"))
		require.Equal(t, 2, h.changes)
	})
}

func TestAnotherSource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first := newFake(valid("pronet:main"))
		h := newHand(t, first)
		defer h.end()
		h.Connect("pronet", nil)
		h.press("Connect again")
		h.SetSource(newFake(valid("microblog:there")))
		h.settle()
		require.Equal(t, []credentials.Ref{"pronet:main"}, first.givenUp())
		require.Contains(t, h.texts(), "microblog:there")
		require.NotContains(t, h.texts(), "pronet:main")
		require.Zero(t, h.changes)
	})
}
