package code_test

import (
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/nodes/code"
	"github.com/svcflow/svc/nodes/nodetest"
)

// births records the child processes.
type births struct {
	mu  sync.Mutex
	all []*exec.Cmd
}

func (b *births) command() *exec.Cmd {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.all = append(b.all, child())
	return b.all[len(b.all)-1]
}

// No process is started before it is needed, a dead child is replaced, and none outlives
// its plugin.
func TestChildren(t *testing.T) {
	var born births
	p := code.New(born.command)
	h := nodetest.New(t, p)
	require.Empty(t, born.all)
	for range 3 {
		_, err := h.Exec(javascript, script("return 1", nil), nil)
		require.NoError(t, err)
	}
	require.Len(t, born.all, 1, "it is used again")
	require.NoError(t, born.all[0].Process.Kill())
	_, err := h.Exec(javascript, script("return 1", nil), nil)
	if err != nil { // the pool had not noticed its death when the script was sent
		require.ErrorContains(t, err, "signal: killed")
		_, err = h.Exec(javascript, script("return 1", nil), nil)
	}
	require.NoError(t, err)
	require.Len(t, born.all, 2)
	require.NoError(t, p.Close())
	for _, cmd := range born.all {
		require.NotNil(t, cmd.ProcessState, "it was waited for")
	}
}

// Concurrent scripts have a child each, up to the size of the pool.
func TestAtOnce(t *testing.T) {
	h := host(t)
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() {
			out, err := h.Exec(javascript, script("let s = 0; for (let i = 0; i < 1e4; i++) s += i; return [a, s]", record{"inputs": []any{"a"}}), record{"a": i})
			if err != nil || out["result"].([]any)[0] != i {
				t.Errorf("%v %v", out, err)
			}
		})
	}
	all.Wait()
}

// The error names the reason why a child does not work.
func TestBadChildren(t *testing.T) {
	for command, says := range map[string]string{
		"exit 3": "exit status 3", "echo out of luck >&2; exit 1": "out of luck", "kill -9 $$": "signal: killed", "printf 'XXXXXXXX'": "died", "printf '\\0\\0\\0\\001{'": "died",
	} {
		p := code.New(func() *exec.Cmd { return exec.Command("sh", "-c", command) })
		_, err := nodetest.New(t, p).Exec(javascript, script("return 1", nil), nil)
		require.ErrorContains(t, err, says, command)
		require.NoError(t, p.Close())
	}
	p := code.New(func() *exec.Cmd { return exec.Command("/no/such/program") })
	_, err := nodetest.New(t, p).Exec(javascript, script("return 1", nil), nil)
	require.ErrorContains(t, err, "cannot be used")
}

// Inputs and outputs may be large.
func TestLarge(t *testing.T) {
	h := host(t)
	text := strings.Repeat("0123456789", 300_000)
	out, err := h.Exec(javascript, script("return a + a", record{"inputs": []any{"a"}}), record{"a": text})
	require.NoError(t, err)
	require.Equal(t, text+text, out["result"])
}
