package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"svc-sim": main})
}

// program is a svc-sim that runs.
type program struct {
	env map[string]string // what it printed
	cmd *exec.Cmd
	log *bytes.Buffer
}

// start starts svc-sim at a free port and reads the variables that it prints.
func start(t *testing.T, args ...string) *program {
	t.Helper()
	p := &program{map[string]string{}, exec.CommandContext(t.Context(), "svc-sim", append([]string{"--addr", "127.0.0.1:0"}, args...)...), &bytes.Buffer{}}
	p.cmd.Stderr = p.log
	out, err := p.cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, p.cmd.Start())
	for lines := bufio.NewScanner(out); len(p.env) < 17; {
		require.True(t, lines.Scan(), "it ended: %s", p.log)
		if assignment, ok := strings.CutPrefix(lines.Text(), "export "); ok {
			name, value, _ := strings.Cut(assignment, "=")
			p.env[name] = strings.Trim(value, "'")
		}
	}
	return p
}

func (p *program) call(t *testing.T, method, address, token, body string) (status int, text string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Restli-Protocol-Version", "2.0.0")
	answer, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(r)
	require.NoError(t, err)
	all, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	return answer.StatusCode, string(all)
}

// TestProgram asks both networks with what svc-sim printed, and stops it.
func TestProgram(t *testing.T) {
	p := start(t)
	status, text := p.call(t, "GET", p.env["PRONET_API_URL"]+"/me", p.env["PRONET_MAIN"], "")
	require.Equal(t, 200, status)
	require.Contains(t, text, "Ada")
	status, text = p.call(t, "POST", p.env["PRONET_API_URL"]+"/assets?action=registerUpload", p.env["PRONET_COMPANY"],
		`{"registerUploadRequest":{"owner":"`+p.env["PRONET_COMPANY_URN"]+`","recipes":["urn:li:digitalmediaRecipe:feedshare-image"],`+
			`"serviceRelationships":[{"relationshipType":"OWNER","identifier":"urn:li:userGeneratedContent"}]}}`)
	require.Equal(t, 200, status)
	require.Contains(t, text, `"`+p.env["PRONET_API_URL"]+"/uploads/", "addresses lead back to it")
	status, _ = p.call(t, "POST", p.env["MICROBLOG_API_URL"]+"/2/tweets", p.env["MICROBLOG_BOT"], `{"text":"Hello"}`)
	require.Equal(t, 201, status)
	status, _ = p.call(t, "GET", strings.TrimSuffix(p.env["PRONET_API_URL"], "/pronet"), "", "")
	require.Equal(t, 404, status)

	require.NoError(t, p.cmd.Process.Signal(syscall.SIGTERM))
	require.NoError(t, p.cmd.Wait())
	log := p.log.String()
	require.Contains(t, log, "svc-sim: listening on http://127.0.0.1:")
	require.Contains(t, log, `post_tweet       POST "/2/tweets": 201 Created`)
	require.NotContains(t, log, "sim-microblog-bot", "tokens are not logged")
}

func TestFlags(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	faults := write("faults.json", `{"pronet":[{"route":"fetch_profile","skip":1,"status":503}],"microblog":[{"route":"me","break":"garbage"}]}`)
	p := start(t, "--profile", "live", "--limit", "2/1h", "--faults", faults)
	me, token := p.env["PRONET_API_URL"]+"/me", p.env["PRONET_MAIN"]
	require.True(t, strings.HasSuffix(me, "/pronet/v2/me"))
	status, _ := p.call(t, "GET", me, token, "")
	require.Equal(t, 200, status)
	status, _ = p.call(t, "GET", me, token, "")
	require.Equal(t, 503, status)
	_, text := p.call(t, "GET", p.env["MICROBLOG_API_URL"]+"/2/users/me", p.env["MICROBLOG_MAIN"], "")
	require.Equal(t, `{"data":{"id":"18`, text)
	for _, want := range []int{200, 200, 429} {
		status, _ = p.call(t, "GET", p.env["MICROBLOG_API_URL"]+"/2/trends/by/woeid/1", p.env["MICROBLOG_MAIN"], "")
		require.Equal(t, want, status)
	}
	require.NoError(t, p.cmd.Process.Signal(os.Interrupt))
	require.NoError(t, p.cmd.Wait())

	var out, errs bytes.Buffer
	require.Zero(t, run(t.Context(), []string{"--show-seed"}, &out, &errs))
	p = start(t, "--seed", write("seed.json", strings.ReplaceAll(out.String(), `"Lovelace"`, `"Byron"`)))
	_, text = p.call(t, "GET", p.env["PRONET_API_URL"]+"/me", p.env["PRONET_MAIN"], "")
	require.Contains(t, text, "Byron")
}

func TestMistakes(t *testing.T) {
	seed := filepath.Join(t.TempDir(), "seed.json")
	require.NoError(t, os.WriteFile(seed, []byte(`{"pronet":{"pots":[]}}`), 0o600))
	ended, end := context.WithCancel(t.Context())
	end()
	for _, c := range []struct {
		args   []string
		status int
		says   string
	}{
		{[]string{"--help"}, 0, ""},
		{[]string{"--addr", "127.0.0.1:0"}, 0, "listening"},
		{[]string{"--limit", "450"}, 2, "is not a limit such as 450/15m"},
		{[]string{"--limit", "0/15m"}, 2, "is not a limit such as 450/15m"},
		{[]string{"--limit", "450/1ms"}, 2, "is not a limit such as 450/15m"},
		{[]string{"--token-lifetime", "soon"}, 2, "is not a time such as 90s"},
		{[]string{"--profile", "both"}, 2, "spec"},
		{[]string{"--faults", "nowhere.json"}, 2, "nowhere.json"},
		{[]string{"--seed", seed}, 2, "pots"},
		{[]string{"--faults", seed}, 2, "seed.json"},
		{[]string{"--addr", "nowhere"}, 1, "choose another --addr"},
		{[]string{"serve"}, 2, "--help"},
	} {
		var out, errs bytes.Buffer
		require.Equal(t, c.status, run(ended, c.args, &out, &errs), "%v: %s", c.args, &errs)
		require.Contains(t, errs.String(), c.says)
	}
}
