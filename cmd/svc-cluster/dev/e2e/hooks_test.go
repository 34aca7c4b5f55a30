package e2e

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/enginetest/trials"
	"github.com/svcflow/svc/engine/run"
)

const asks = `{"id":"asks","nodes":[
	{"id":"form","type":"trigger.form","config":{"path":"asks/0123456789abcdefghijklmn","title":"Asks","fields":[{"name":"who","required":true}]}},
	{"id":"out","type":"io.output","config":{"name":"who"}}],
	"connections":[{"fromNodeId":"form","fromPort":"who","toNodeId":"out","toPort":"value"}]}`

// TestHooksOfMembers calls webhooks and forms at all instances. Other processes drive the runs, and
// the answers may come from yet another one.
func TestHooksOfMembers(t *testing.T) {
	t.Parallel()
	f := &firing{members: newMembers(t)}
	f.instances = []*member{f.members.instance(), f.members.instance()}
	driver := f.drives()
	f.arm(replied)
	f.arm(asks)
	f.replies("a node answers")
	f.forms()
	f.sameEverywhere()

	require.NoError(t, driver.Process.Signal(syscall.SIGTERM))
	require.NoError(t, driver.Wait())
	f.drives("--place", "trigger.respond=replies")
	f.drives("--runs", "0", "--answer", "replies")
	f.replies("a node answers that is placed")
}

// replies calls a webhook that a node answers, at changing instances.
func (f *firing) replies(what string) {
	f.t.Helper()
	var took []time.Duration
	for n := range trials.Of(f.t, 10, 200) {
		began, said := time.Now(), fmt.Sprint(what, n)
		status, body, err := post(f.t.Context(), f.any(n).url+"/hooks/replied-0123456789abcdefghijklm", said)
		require.NoError(f.t, err)
		require.Equal(f.t, http.StatusCreated, status, body)
		require.Equal(f.t, said, body)
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	f.t.Logf("%s: p50 %s, p95 %s, the longest %s", what, took[len(took)/2].Round(time.Millisecond), took[len(took)*95/100].Round(time.Millisecond),
		took[len(took)-1].Round(time.Millisecond))
}

// forms gets a form from one instance and submits it to another. Submitting it twice starts one
// run.
func (f *firing) forms() {
	f.t.Helper()
	const path = "/hooks/asks/0123456789abcdefghijklmn"
	ask := func(p *member, method string, sent url.Values) (status int, page string) {
		request, err := http.NewRequestWithContext(f.t.Context(), method, p.url+path, strings.NewReader(sent.Encode()))
		require.NoError(f.t, err)
		request.Header.Set("Accept", "text/html")
		if sent != nil {
			request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			request.Header.Set("Origin", p.url)
		}
		answer, err := (&http.Client{Timeout: 30 * time.Second}).Do(request)
		require.NoError(f.t, err)
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		require.NoError(f.t, err)
		return answer.StatusCode, string(text)
	}
	const people = 4
	var names []string
	for n := range people {
		status, page := ask(f.any(n), http.MethodGet, nil)
		require.Equal(f.t, http.StatusOK, status, page)
		token := regexp.MustCompile(`name="\$token" value="([^"]+)"`).FindStringSubmatch(page)
		require.Len(f.t, token, 2, page)
		names = append(names, fmt.Sprint("person ", n))
		for again := range 2 {
			status, page = ask(f.any(n+1+again), http.MethodPost, url.Values{"$token": {token[1]}, "who": {names[n]}})
			require.Equal(f.t, http.StatusOK, status, page)
		}
	}
	require.Equal(f.t, names, f.outputs("asks", "who"), "each page has made one run, wherever it was sent to")
}

// sameEverywhere checks that all instances report the same triggers.
func (f *firing) sameEverywhere() {
	f.t.Helper()
	var all [][]run.Trigger
	f.until(time.Minute, "all instances tell the same of triggers", func() bool {
		all = nil
		for _, p := range f.instances {
			triggers, err := f.at(p).Triggers(f.t.Context())
			require.NoError(f.t, err)
			for i := range triggers {
				_, triggers[i].URL, _ = strings.Cut(triggers[i].URL, "/hooks/") // each instance has a different address
			}
			all = append(all, triggers)
		}
		return len(all[0]) == 2 && all[0][0].LastRunID != "" && all[0][1].LastRunID != "" && fmt.Sprint(all[0]) == fmt.Sprint(all[1])
	})
	require.Equal(f.t, []string{"asks/0123456789abcdefghijklmn", "replied-0123456789abcdefghijklm"}, []string{all[0][0].URL, all[0][1].URL})
}
