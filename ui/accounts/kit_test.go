package accounts_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/test"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/ui/accounts"
	"github.com/svcflow/svc/ui/job"
	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/theme"
	"github.com/svcflow/svc/ui/uitest"
)

// fake is a source whose logins end when the test says so. All it does takes time, and
// nothing as long as something else, so that the view, which the test driver lets run on
// any goroutine, is used by one at a time.
type fake struct {
	mu       sync.Mutex
	latency  time.Duration
	accounts []credentials.Status
	broken   error // of Accounts
	verdicts map[credentials.Ref]error
	logins   map[credentials.Ref]chan error
	ended    []credentials.Ref // logins that were given up
	locked   int               // how often Retry does not help, and the first time
	set      []credentials.Credential
	slow     credentials.Ref // its login begins late
}

func newFake(all ...credentials.Status) *fake {
	return &fake{accounts: all, verdicts: map[credentials.Ref]error{}, logins: map[credentials.Ref]chan error{}}
}

func (f *fake) Accounts(_ context.Context) ([]credentials.Status, error) {
	f.pass()
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]credentials.Status(nil), f.accounts...), f.broken
}

// pass lets time pass.
func (f *fake) pass() {
	f.mu.Lock()
	f.latency += time.Millisecond
	latency := f.latency
	f.mu.Unlock()
	<-time.After(latency)
}

// settle lets all happen that is about to: answers take their time, and the next
// question may wait for one.
func (h *fixture) settle() {
	for range 20 {
		<-time.After(3 * time.Second)
		h.back.Settle()
	}
}

func (f *fake) Networks() []string { return []string{"email", "microblog", "pronet"} }

// Logins says that all networks have logins but the one called http.
func (f *fake) Logins(network string) bool { return network != "http" }

func (f *fake) Set(_ context.Context, ref credentials.Ref, c credentials.Credential) error {
	f.pass()
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.verdicts[ref]; err != nil {
		return err
	}
	f.set = append(f.set, c)
	f.accounts = append(f.accounts, credentials.Status{Ref: ref, Source: "keyring", State: "valid", Kind: c.Kind, Hosts: c.Hosts})
	return nil
}

func (f *fake) Connect(ctx context.Context, ref credentials.Ref, show func(string)) error {
	f.pass()
	if ref == f.slow {
		<-time.After(time.Second)
	}
	f.mu.Lock()
	login := make(chan error)
	f.logins[ref] = login
	f.mu.Unlock()
	var shown sync.WaitGroup
	shown.Go(func() { show("https://login.example/" + string(ref)) })
	shown.Wait()
	select {
	case err := <-login:
		f.pass()
		if err == nil {
			f.mu.Lock()
			f.accounts = append(f.accounts, credentials.Status{Ref: ref, Source: "keyring", State: "valid"})
			f.mu.Unlock()
		}
		return err
	case <-ctx.Done():
		f.mu.Lock()
		f.ended = append(f.ended, ref)
		f.mu.Unlock()
		return ctx.Err()
	}
}

// finish ends a login at f and waits for the result.
func (h *fixture) finish(f *fake, ref credentials.Ref, err error) {
	f.mu.Lock()
	login := f.logins[ref]
	f.mu.Unlock()
	login <- err
	h.settle()
}

func (f *fake) Test(_ context.Context, ref credentials.Ref) error {
	f.pass()
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.verdicts[ref]
}

func (f *fake) Disconnect(_ context.Context, ref credentials.Ref) error {
	f.pass()
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.verdicts[ref]; err != nil {
		return err
	}
	for i, a := range f.accounts {
		if a.Ref == ref {
			f.accounts = append(f.accounts[:i:i], f.accounts[i+1:]...)
		}
	}
	return nil
}

func (f *fake) Storage() (string, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.locked > 0 {
		return "The keyring is locked: accounts are kept in memory until Svc is closed. Unlock it and try again.", false
	}
	return "Accounts are kept in the keyring of this computer.", true
}

func (f *fake) Retry(context.Context) {
	f.pass()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.locked--
}

// fixture is a view in a window, and what the view has requested of it.
type fixture struct {
	*accounts.View

	t         *testing.T
	window    fyne.Window
	copied    string
	questions []string
	answer    bool
	changes   int
	jobs      *job.Runner
	back      *uitest.Queue
}

func newHand(t *testing.T, source accounts.Source) *fixture {
	t.Helper()
	uitest.App(t, theme.Dark)
	h := &fixture{t: t, back: &uitest.Queue{}}
	h.jobs = job.New(h.back.Post)
	h.View = accounts.New(source, h.jobs, accounts.Config{
		Copy: func(text string) { h.copied = text },
		Confirm: func(question string, then func()) {
			h.questions = append(h.questions, question)
			if h.answer {
				then()
			}
		},
		Changed: func() { h.changes++ },
	})
	h.settle()
	h.window = uitest.Window(t, h.Object(), 560, 420)
	return h
}

// end closes the view, as a window does.
func (h *fixture) end() {
	h.jobs.Close()
	h.jobs.Wait()
}

// texts returns all that can be read.
func (h *fixture) texts() string {
	var all []string
	for _, o := range uitest.Seen[fyne.CanvasObject](h.Object()) {
		switch o := o.(type) {
		case interface{ Text() string }:
			all = append(all, o.Text())
		case *kit.Badge:
			all = append(all, test.WidgetRenderer(o).Objects()[1].(*canvas.Text).Text)
		}
	}
	return strings.Join(all, "\n")
}

// button returns the visible button with a text; nil if there is no such button.
func (h *fixture) button(text string) *kit.Button {
	for _, b := range uitest.Seen[*kit.Button](h.Object()) {
		if b.Text == text {
			return b
		}
	}
	return nil
}

// press presses a button and waits for its result.
func (h *fixture) press(text string) {
	h.t.Helper()
	b := h.button(text)
	require.NotNil(h.t, b, text)
	require.False(h.t, b.Disabled(), text)
	test.Tap(b)
	h.settle()
}

// entry returns the field for the name of the account.
func (h *fixture) entry() *kit.Entry {
	for _, e := range uitest.Seen[*kit.Entry](h.Object()) {
		return e
	}
	return nil
}

func (f *fake) givenUp() []credentials.Ref {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]credentials.Ref(nil), f.ended...)
}
