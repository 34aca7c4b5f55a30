package main

import (
	"bytes"
	"context"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/cmd/internal/program"
)

// nowhere is an address on which nothing listens.
const nowhere = "127.0.0.1:1"

// called is the result of a call of the program.
type called struct {
	out, errs string
	status    int
	took      time.Duration
}

// call calls the program with the given environment. It has a minute.
func call(t *testing.T, env map[string]string, args ...string) called {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var out, errs bytes.Buffer
	began := time.Now()
	status := obey(ctx, args, strings.NewReader(""), &out, &errs, func(name string) (string, bool) {
		v, ok := env[name]
		return v, ok
	})
	return called{out.String(), errs.String(), status, time.Since(began)}
}

// requireOneLine checks that a call has failed with one line, which contains no secret.
func requireOneLine(t *testing.T, c called, says ...string) {
	t.Helper()
	require.Empty(t, c.out)
	require.Equal(t, 1, strings.Count(c.errs, "\n"), "one line: %s", c.errs)
	for _, text := range says {
		require.Contains(t, c.errs, text)
	}
	require.NotContains(t, c.errs, "s3cret-7")
	require.NotContains(t, c.errs, "canary")
}

func TestEveryCommandTeaches(t *testing.T) {
	for _, command := range []string{"serve", "worker", "migrate", "place", "check", "version"} {
		c := call(t, nil, command, "--help")
		require.Zero(t, c.status, c.errs)
		_, examples, found := strings.Cut(c.out, "Examples:\n\n")
		require.True(t, found, command)
		examples, _, _ = strings.Cut(examples, "\n\n")
		require.Contains(t, examples, "svc-cluster "+command)
	}
	require.Contains(t, call(t, nil).out, "svc-cluster worker", "without a command it tells what there is")
}

// TestFlagsHaveVariables checks that every flag can be set by a variable.
func TestFlagsHaveVariables(t *testing.T) {
	for _, command := range []string{"serve", "worker", "migrate", "place", "check"} {
		help := call(t, nil, command, "--help").out
		_, flags, _ := strings.Cut(help, "Flags:\n")
		for _, flag := range regexp.MustCompile(`(?ms)^ +(?:-h, )?(--[a-z0-9-]+)(.*?)(?:^ +--|\z)`).FindAllStringSubmatch(flags, -1) {
			if name := flag[1]; name != "--help" && name != "--version" && name != "--output" {
				require.Regexp(t, `\(\$SVC_[A-Z0-9_]+\)|\$SVC_`, flag[2], name)
			}
		}
	}
}

func TestWhatIsMissingOrWrong(t *testing.T) {
	const key = "SVC_API_KEY"
	database := map[string]string{"SVC_POSTGRES": "postgres://svc:s3cret-7@" + nowhere + "/svc", key: "canary-4711-canary-4711"}
	for _, c := range []struct {
		env    map[string]string
		args   []string
		status int
		says   []string
	}{
		{nil, []string{"serve"}, program.ExitInvalid, []string{"--postgres", "SVC_POSTGRES"}},
		{nil, []string{"worker"}, program.ExitInvalid, []string{"--postgres", "SVC_POSTGRES"}},
		{nil, []string{"migrate"}, program.ExitInvalid, []string{"--postgres", "SVC_POSTGRES"}},
		{nil, []string{"check"}, program.ExitInvalid, []string{"--postgres", "SVC_POSTGRES"}},
		{map[string]string{"SVC_POSTGRES": database["SVC_POSTGRES"]}, []string{"serve"}, program.ExitInvalid, []string{key, "the same for all"}},
		{database, []string{"worker", "--runs", "0"}, program.ExitInvalid, []string{"--runs", "--answer"}},
		{database, []string{"worker", "--place", "media.*"}, program.ExitInvalid, []string{"--place", "TYPE=QUEUE"}},
		{database, []string{"serve", "--place", "media.*=GPU"}, program.ExitInvalid, []string{"--place", `"GPU" is no name of a queue`}},
		{database, []string{"place", "media.*"}, program.ExitInvalid, []string{"TYPE=QUEUE"}},
		{nil, []string{"place"}, program.ExitInvalid, []string{"--postgres", "SVC_POSTGRES"}},
		{database, []string{"worker", "--answer", "../gpu"}, program.ExitInvalid, []string{"--answer", "no name of a queue"}},
		{database, []string{"worker", "--answer", "gpu", "--answer-rate", "gpu=0"}, program.ExitInvalid, []string{"--answer-rate gpu", "above 0"}},
		{database, []string{"worker", "--answer", "gpu", "--answer-rate", "cpu=1"}, program.ExitInvalid, []string{"--answer cpu"}},
		{database, []string{"worker", "--answer", "gpu", "--answer-at-once", "0"}, program.ExitInvalid, []string{"--answer-at-once"}},
		{database, []string{"serve", "--runs", "-1"}, program.ExitInvalid, []string{"--runs"}},
		{database, []string{"serve", "--max-runs", "0"}, program.ExitInvalid, []string{"--max-runs"}},
		{database, []string{"serve", "--keep-days", "-1"}, program.ExitInvalid, []string{"--keep-days"}},
		{database, []string{"worker", "--postgres", "postgres://svc:s3cret-7@%zz/svc"}, program.ExitFailed, []string{"--postgres", "cannot be understood"}},
		{database, []string{"serve", "--temporal", nowhere}, program.ExitFailed, []string{"--postgres", nowhere}},
		{database, []string{"worker", "--temporal", nowhere}, program.ExitFailed, []string{"--postgres", nowhere}},
		{database, []string{"migrate"}, program.ExitFailed, []string{"--postgres", nowhere}},
		{nil, []string{"serf"}, program.ExitInvalid, []string{"--help"}},
	} {
		t.Run(strings.Join(c.args, " "), func(t *testing.T) {
			got := call(t, c.env, c.args...)
			require.Equal(t, c.status, got.status, got.errs)
			requireOneLine(t, got, c.says...)
		})
	}
}

func TestVersion(t *testing.T) {
	require.Contains(t, call(t, nil, "version").out, "svc-cluster ")
	require.Contains(t, call(t, nil, "--version").out, "svc-cluster ")
}

// TestMain lets the test binary act as the subprocess that some nodes start.
func TestMain(m *testing.M) {
	if program.Apart(os.Args[1:]) {
		os.Exit(program.WorkApart(os.Args[1:], os.Stdin, os.Stdout))
	}
	os.Exit(m.Run())
}
