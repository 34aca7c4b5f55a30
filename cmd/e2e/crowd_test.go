//go:build e2e && linux

package e2e_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// crowdVariable makes the program of the tests a crowd of clients.
const crowdVariable = "SVC_E2E_CROWD"

// crowd is clients that post the same body at the same time.
type crowd struct {
	Clients   int
	URL, Body string
}

// crowdNice is the niceness of the process of a crowd. Real clients have other processors, so the
// crowd should take little time from the server.
const crowdNice = 10

// together posts a body n times at once, from a separate process.
func (v *victim) together(n int, path, body string) {
	cmd := exec.CommandContext(v.t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), crowdVariable+"=1")
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // by which all its threads are found
	stdin, err := cmd.StdinPipe()
	require.NoError(v.t, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(v.t, err)
	require.NoError(v.t, cmd.Start())
	require.NoError(v.t, unix.Setpriority(unix.PRIO_PGRP, cmd.Process.Pid, crowdNice))
	require.NoError(v.t, json.NewEncoder(stdin).Encode(crowd{n, v.url + path, body}))
	require.NoError(v.t, stdin.Close())
	for words := json.NewDecoder(stdout); ; {
		var said string
		if err := words.Decode(&said); err == io.EOF {
			break
		}
		require.NoError(v.t, err)
		v.note(said)
	}
	require.NoError(v.t, cmd.Wait())
}

// postTogether is the other process: it prints the first few distinct answers.
func postTogether() {
	var c crowd
	if err := json.NewDecoder(os.Stdin).Decode(&c); err != nil {
		panic(err)
	}
	client, told := newClient(), json.NewEncoder(os.Stdout)
	var group sync.WaitGroup
	var mu sync.Mutex
	known := map[string]bool{}
	for range c.Clients {
		group.Go(func() {
			said := c.post(client)
			mu.Lock()
			defer mu.Unlock()
			if !known[said] {
				known[said] = true
				_ = told.Encode(said) // who has gone needs nothing
			}
		})
	}
	group.Wait()
}

// post sends the body once, and returns the answer.
func (c *crowd) post(client *http.Client) string {
	r, err := http.NewRequest(http.MethodPost, c.URL, strings.NewReader(c.Body))
	if err != nil {
		panic(err)
	}
	r.Header.Set("Authorization", "Bearer "+binaryKey)
	r.Header.Set("Content-Type", "application/json")
	answer, err := client.Do(r)
	if err != nil {
		return "nothing: " + err.Error()
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return "nothing: " + err.Error()
	}
	said := reply{answer.StatusCode, answer.Header, text}
	return fmt.Sprintf("%d %s", said.status, said.gist())
}
