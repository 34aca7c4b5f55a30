package ui

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/ui/hosts"
	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/uitest"
)

// atServer gives a test a window at a server that can fail.
func atServer(t *testing.T, f func(t *testing.T, s *situation)) {
	t.Helper()
	inWindow(t, func(t *testing.T, b *bench) {
		s := &situation{bench: b}
		s.away()
		f(t, s)
	})
}

// bannerText returns the text of the banner; empty while it is hidden.
func (b *bench) bannerText() string {
	if !b.views.banner.whole.Visible() {
		return ""
	}
	return b.views.banner.title.Text() + "\n" + b.views.banner.why.Text()
}

func TestALostServerIsSaidAndComesBackByItself(t *testing.T) {
	atServer(t, func(t *testing.T, s *situation) {
		s.wait(time.Minute)
		require.Empty(t, s.bannerText())
		s.long()
		rows, seen := len(s.runs.Shown().Record.Rows()), s.runs.Shown().Record.Revision()

		s.server.fail(errGone)
		lostAt := time.Now()
		s.wait(6 * time.Second)
		require.Contains(t, s.bannerText(), "svc.example.org/flow has been unavailable since "+lostAt.Format("15:04:"))
		require.Contains(t, s.bannerText(), errGone.Error())
		require.False(t, s.runs.Running(), "nobody knows")
		require.Contains(t, s.views.summary.Text(), "lost after")
		since := s.views.banner.title.Text()
		s.wait(10 * time.Minute)
		require.Equal(t, since, s.views.banner.title.Text(), "it tells since when")

		s.server.fail(nil)
		s.wait(40 * time.Second)
		require.Empty(t, s.bannerText(), "it goes by itself")
		require.True(t, s.runs.Running())
		require.Contains(t, s.views.summary.Text(), "running")
		require.Len(t, s.runs.Shown().Record.Rows(), rows)
		require.Less(t, s.runs.Shown().Record.Revision(), 2*seen+2, "no event is told twice")

		s.run("run.cancel")
		s.wait(time.Second)
		require.Equal(t, engine.StatusCancelled, s.runs.Shown().Record.Status, "it is followed to its end")
	})
}

func TestARunThatEndedWhileTheServerWasLostIsShown(t *testing.T) {
	atServer(t, func(t *testing.T, s *situation) {
		s.long()
		id := s.runs.Shown().ID
		s.server.fail(errGone)
		s.wait(time.Minute)
		require.NoError(t, s.server.Backend.Cancel(t.Context(), id))
		s.wait(time.Minute)
		s.server.fail(nil)
		s.wait(time.Minute)
		require.Equal(t, engine.StatusCancelled, s.runs.Shown().Record.Status)
		require.False(t, s.runs.Running())
	})
}

func TestALostServerIsTriedAtOnceIfTheUserWants(t *testing.T) {
	atServer(t, func(t *testing.T, s *situation) {
		s.server.fail(errGone)
		s.wait(10 * time.Minute)
		s.server.fail(nil)
		for _, b := range uitest.Seen[*kit.Button](s.views.banner.whole) {
			if b.Text == "Try again" {
				b.OnTapped()
			}
		}
		s.settle()
		require.Empty(t, s.bannerText())
	})
}

func TestAFailedRequestRevealsALostServer(t *testing.T) {
	atServer(t, func(t *testing.T, s *situation) {
		s.server.fail(errWrongKey)
		s.run("file.stored")
		require.Contains(t, s.bannerText(), errWrongKey.Error(), "at once")
		s.hosts.GoTo("", nil)
		s.settle()
		require.Empty(t, s.bannerText(), "this computer is there")
	})
}

func TestALostServerIsNotAskedAllTheTime(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		s := &situation{bench: b}
		s.away()
		asked := 0
		place := s.servers.places[elsewhere]
		look := place.Look
		place.Look = func(ctx context.Context) error { asked++; return look(ctx) }
		s.servers.places[elsewhere] = place
		s.hosts.Connect(hosts.Address{URL: elsewhere}, nil)
		s.settle()
		s.server.fail(errGone)
		s.wait(10 * time.Minute)
		require.Less(t, asked, 60)
		require.Greater(t, asked, 15)
	})
}
