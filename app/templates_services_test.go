package app

import (
	"io"
	"log"
	"net"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/credentialstest"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/code"
	"github.com/svcflow/svc/nodes/data"
	"github.com/svcflow/svc/nodes/email"
	"github.com/svcflow/svc/nodes/media"
	"github.com/svcflow/svc/nodes/mediaai"
	"github.com/svcflow/svc/nodes/mediacore"
	"github.com/svcflow/svc/nodes/microblog"
	"github.com/svcflow/svc/nodes/pronet"
	"github.com/svcflow/svc/nodes/service"
	"github.com/svcflow/svc/nodes/sim"
	sqlnode "github.com/svcflow/svc/nodes/sql"
	"github.com/svcflow/svc/nodes/state"
	"github.com/svcflow/svc/nodes/trigger"
)

// services are the plugins of networks, out of reach of any.
func services() []node.Plugin {
	return []node.Plugin{
		email.New(email.Config{}), pronet.New(service.Config{}), microblog.New(service.Config{}), trigger.Plugin(trigger.Config{}),
		data.New(data.Config{}), state.Plugin(), sqlnode.New(sqlnode.Config{}), code.New(func() *exec.Cmd { return nil }), mediacore.New(media.New(media.Config{})),
		mediaai.New(mediaai.Config{Tools: media.New(media.Config{})}),
	}
}

// world is an App, the networks that its workflows reach, and the letters that
// they send.
type world struct {
	*App

	pronet, microblog *sim.Network
	letters           *letters
}

// newWorld returns an App whose networks are simulated. Those without an account
// named here have no credential.
func newWorld(t *testing.T, faults map[string][]sim.Fault, accounts ...credentials.Ref) world {
	t.Helper()
	w := world{letters: &letters{}}
	var err error
	w.pronet, err = sim.NewPronet(sim.Config{Faults: faults["pronet"]})
	require.NoError(t, err)
	w.microblog, err = sim.NewMicroblog(sim.Config{Faults: faults["microblog"]})
	require.NoError(t, err)
	held := credentialstest.Holding{}
	for _, ref := range accounts {
		held[ref] = credentials.Credential{Access: credentials.NewSecret("sim-" + strings.ReplaceAll(string(ref), ":", "-"))}
	}
	settings := map[string]string{
		"PRONET_API_URL": "https://pronet.example", "MICROBLOG_API_URL": "https://microblog.example",
		"EMAIL_SMTP_URL": "smtp://" + w.letters.serve(t) + "?tls=none", "EMAIL_USER": "ada@example.com",
	}
	getenv := func(name string) string { return settings[name] }
	source := credentialstest.NewMemory(held)
	w.App = newTestApp(t, Config{ExtraPlugins: []node.Plugin{
		email.New(email.Config{Getenv: getenv, Credentials: source}),
		pronet.New(service.Config{Getenv: getenv, Credentials: source, Transport: w.pronet}),
		microblog.New(service.Config{Getenv: getenv, Credentials: source, Transport: w.microblog}),
	}})
	return w
}

// letters is a mail server that takes everything.
type letters struct {
	mu   sync.Mutex
	to   []string
	text string
}

// serve starts the server, which ends with the test, and returns its address.
func (l *letters) serve(t *testing.T) string {
	t.Helper()
	server := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return letterSession{l}, nil }))
	server.AllowInsecureAuth, server.ErrorLog = true, log.New(io.Discard, "", 0)
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var wg sync.WaitGroup
	wg.Go(func() { _ = server.Serve(listener) }) // ends when it is closed
	t.Cleanup(func() {                           // the server closes the listener only if it has begun to serve
		_ = server.Close()
		_ = listener.Close()
		wg.Wait()
	})
	return listener.Addr().String()
}

func (l *letters) taken() (to []string, text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.to, l.text
}

type letterSession struct{ *letters }

func (letterSession) AuthMechanisms() []string { return []string{sasl.Plain} }

func (letterSession) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, _, _ string) error { return nil }), nil
}

func (letterSession) Reset()        {}
func (letterSession) Logout() error { return nil }

func (letterSession) Mail(string, *smtp.MailOptions) error { return nil }

func (s letterSession) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.to = append(s.to, to)
	return nil
}

func (s letterSession) Data(r io.Reader) error {
	text, err := io.ReadAll(r)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text = string(text)
	return err
}

func TestSearchLikeMessageTemplate(t *testing.T) {
	w := newWorld(t, map[string][]sim.Fault{"microblog": {{Route: "like_tweet", Times: 1, Status: 403}}}, "microblog:main", "pronet:main")
	outputs := runTemplate(t, w.App, "search-like-message", record{"recipient": "9HfGrace"}, nil)
	require.Equal(t, 2, outputs["liked"])
	require.Len(t, outputs["trouble"], 1)
	require.Contains(t, outputs["trouble"].([]any)[0], "403")
	require.Equal(t, true, outputs["sent"])
	require.Nil(t, outputs["error"])
	require.Len(t, w.microblog.Requests("like_tweet"), 3)
	require.Len(t, w.pronet.Messages(), 1)
	message := w.pronet.Messages()[0]
	require.Equal(t, "9HfGrace", message.To)
	require.Equal(t, "I found these posts about #workflows and liked 2 of them:\n\n"+
		"- ada: The engine weaves algebraic patterns. #workflows\n"+
		"- grace: A nanosecond is this long: 30 cm. #workflows wait for it\n"+
		"- grace: Ship it 🚢 #workflows", message.Text)
}

// If nothing is found, nothing is sent.
func TestSearchLikeMessageTemplateWithNothingFound(t *testing.T) {
	w := newWorld(t, nil, "microblog:main", "pronet:main")
	outputs := runTemplate(t, w.App, "search-like-message", record{"recipient": "9HfGrace", "query": "nothing of that"}, nil)
	require.Equal(t, record{"liked": 0, "trouble": []any{}}, outputs)
	require.Empty(t, w.pronet.Requests())
}

func TestProfileDigestTemplate(t *testing.T) {
	w := newWorld(t, nil, "microblog:main", "pronet:main", "email:main")
	outputs := runTemplate(t, w.App, "profile-digest", record{"to": "ann@example.com"}, nil)
	require.Equal(t, true, outputs["sent"], outputs["error"])
	require.NotEmpty(t, outputs["message_id"])
	require.Equal(t, "Ada Lovelace\nEngineer of analytical engines\n\nWhat was liked most in your timeline:\n\n"+
		"- grace: Ship it 🚢 #workflows (410 likes)\n"+
		"- grace: A nanosecond is this long: 30 cm. #workflows wait for it (99 likes)\n"+
		"- alan: Is there a workflow that tells whether workflows end? (36 likes)\n"+
		"- ada: The engine weaves algebraic patterns. #workflows (12 likes)\n"+
		"- alan: Tape is full again. (3 likes)\n", outputs["digest"])
	to, text := w.letters.taken()
	require.Equal(t, []string{"ann@example.com"}, to)
	require.Contains(t, text, "Subject: Digest for Ada Lovelace\r\n")
	require.Contains(t, text, "(410 likes)")
}

func TestCrossPostTemplate(t *testing.T) {
	refused := map[string][]sim.Fault{"pronet": {{Route: "post_feed", Status: 422}}}
	for name, c := range map[string]struct {
		faults   map[string][]sim.Fault
		accounts []credentials.Ref
		posts    [2]int // at each network
		report   string
	}{
		"both":        {nil, []credentials.Ref{"pronet:main", "microblog:main"}, [2]int{1, 1}, "Professional network: posted.\nMicroblogging network: posted."},
		"refused":     {refused, []credentials.Ref{"pronet:main", "microblog:main"}, [2]int{0, 1}, "Professional network: not posted: pronet post_feed: "},
		"no account":  {nil, []credentials.Ref{"pronet:main"}, [2]int{1, 0}, "Professional network: posted.\nMicroblogging network: not posted: there is no credential \"microblog:main\""},
		"no accounts": {nil, nil, [2]int{0, 0}, "Professional network: not posted: there is no credential \"pronet:main\""},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, c.faults, c.accounts...)
			before := [2]int{len(w.pronet.Posts()), len(w.microblog.Posts())}
			outputs := runTemplate(t, w.App, "cross-post", record{"text": "To whom it may concern"}, nil)
			require.True(t, strings.HasPrefix(outputs["report"].(string), c.report), outputs["report"])
			after := [2]int{len(w.pronet.Posts()), len(w.microblog.Posts())}
			require.Equal(t, c.posts, [2]int{after[0] - before[0], after[1] - before[1]})
			if c.posts[1] == 1 {
				require.Equal(t, w.microblog.Posts()[before[1]].ID, outputs["tweet_id"])
			}
		})
	}
}
