package accounts_test

import (
	"errors"
	"testing"
	"testing/synctest"

	"fyne.io/fyne/v2/test"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/credentials"
)

func TestConnect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := newFake()
		h := newHand(t, source)
		defer h.end()
		var told []string
		h.Connect("pronet", func(ref string) { told = append(told, ref) })
		require.Equal(t, "main", h.entry().Text)
		h.entry().SetText("shop")
		h.press("Connect")
		require.Contains(t, h.texts(), "Connecting pronet:shop")
		require.Contains(t, h.texts(), "Waiting for your browser…")
		h.press("Copy address")
		require.Equal(t, "https://login.example/pronet:shop", h.copied)

		h.finish(source, "pronet:shop", nil)
		require.Equal(t, []string{"pronet:shop"}, told)
		require.Contains(t, h.texts(), "pronet:shop\nConnected")
		require.NotContains(t, h.texts(), "Waiting for your browser…")
		require.Equal(t, 1, h.changes)
	})
}

func TestConnectChecksTheName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHand(t, newFake(valid("email:main")))
		defer h.end()
		h.press("Connect an account…")
		require.NotNil(t, h.button("Connect again"), "email is the first network, and main is connected")
		for name, want := range map[string]string{"": "Give the account a name.", "My Shop": "Use a–z", "-x": "Use a–z", "a:b": "Use a–z"} {
			h.entry().SetText(name)
			require.Contains(t, h.texts(), want, name)
			require.True(t, h.button("Connect").Disabled())
		}
		h.entry().SetText("my-shop")
		require.False(t, h.button("Connect").Disabled())
		require.NotContains(t, h.texts(), "Use a–z")
		h.press("Cancel")
		require.Contains(t, h.texts(), "email:main")
	})
}

func TestConnectFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := newFake()
		h := newHand(t, source)
		defer h.end()
		told := 0
		h.Connect("pronet", func(string) { told++ })
		h.press("Connect")
		h.finish(source, "pronet:main", errors.New("you have refused access in the browser: try again and allow it"))
		require.Contains(t, h.texts(), "pronet:main was not connected")
		require.Contains(t, h.texts(), "try again and allow it")
		require.Zero(t, told)
		h.press("Try again")
		require.Contains(t, h.texts(), "Waiting for your browser…")
		h.finish(source, "pronet:main", nil)
		require.Equal(t, 1, told)
		require.Contains(t, h.texts(), "pronet:main\nConnected")
	})
}

func TestConnectIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := newFake()
		h := newHand(t, source)
		defer h.end()
		told := 0
		h.Connect("pronet", func(string) { told++ })
		h.press("Connect")
		h.press("Cancel")
		require.Equal(t, []credentials.Ref{"pronet:main"}, source.givenUp())
		require.Contains(t, h.texts(), "No account is connected.")

		h.Connect("pronet", nil)
		h.press("Connect")
		h.end()
		require.Len(t, source.givenUp(), 2, "closing gives up too")
		require.Zero(t, told)
		h.Reload()
		h.settle()
	})
}

func TestConnectTwoAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := newFake()
		h := newHand(t, source)
		defer h.end()
		var told []string
		tell := func(ref string) { told = append(told, ref) }
		h.Connect("pronet", tell)
		h.press("Connect")
		h.Connect("microblog", tell)
		h.settle()
		require.Equal(t, []credentials.Ref{"pronet:main"}, source.givenUp())
		require.NotContains(t, h.texts(), "Waiting for your browser…")
		h.press("Connect")
		require.Contains(t, h.texts(), "https://login.example/microblog:main")
		h.finish(source, "microblog:main", nil)
		require.Equal(t, []string{"microblog:main"}, told)
	})
}

func TestConnectForgetsALateAddress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := newFake()
		source.slow = "pronet:main"
		h := newHand(t, source)
		defer h.end()
		h.Connect("pronet", nil)
		test.Tap(h.button("Connect"))
		h.Connect("microblog", nil)
		h.press("Connect")
		require.Contains(t, h.texts(), "https://login.example/microblog:main")
	})
}

func TestReconnect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		old := valid("pronet:main")
		old.State = "reauthorize"
		source := newFake(old)
		h := newHand(t, source)
		defer h.end()
		h.press("Reconnect")
		require.Contains(t, h.texts(), "Connecting pronet:main")
		source.accounts = nil
		h.finish(source, "pronet:main", nil)
		require.Contains(t, h.texts(), "pronet:main\nConnected")
		require.NotContains(t, h.texts(), "Press Reconnect")
	})
}
