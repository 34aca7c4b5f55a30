//go:build e2e && linux

package e2e_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/cmd/svc-desktop/internal/xtest"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/documents"
)

// The number of actions and the seed: SVC_MONKEY=100000, and SVC_MONKEY_SEED with the seed
// that an earlier monkey has printed. A seed gives the same actions, as far as the machine
// behaves the same. The default seed is fixed.
const (
	monkeyVariable = "SVC_MONKEY"
	seedVariable   = "SVC_MONKEY_SEED"
	monkeyActions  = 500
	monkeyEpisode  = 2_500 // actions of one program
	monkeyChunk    = 250   // actions, after which the test waits for the program
)

// mostMemory is how much more memory a program may have at the end of an episode than at
// its first chunks, when all its caches are cold.
const mostMemory = 300 << 20

// TestMonkey does random actions in a real window, without expecting any particular result.
// Each program has another seed; those with an odd one only edit. The program must not end
// unasked, nor hang, nor use more and more memory; its files must be readable; and after
// edits only, undoing all of them must restore the first state.
func TestMonkey(t *testing.T) {
	actions := number(t, monkeyVariable, monkeyActions)
	usual := 1
	if os.Getenv(monkeyVariable) != "" {
		usual = int(time.Now().Unix())
	}
	seed := uint64(number(t, seedVariable, usual))
	t.Logf("%s=%d %s=%d", monkeyVariable, actions, seedVariable, seed)
	d := xtest.Start(t, 1024, 700) // drawing by software takes most of the time
	d.Setenv("FYNE_THEME", "dark")
	begin := time.Now()
	edited, undone := 0, 0
	for ; actions > 0; seed++ {
		m := &monkey{t: t, d: d, Rand: rand.New(rand.NewPCG(seed, 0)), editing: seed%2 == 1}
		done := m.live(min(actions, monkeyEpisode))
		actions -= done
		if m.editing {
			edited++
		}
		if m.undone {
			undone++
		}
		t.Logf("%s=%d: %d actions, %s; %s in all", seedVariable, seed, done, m.told, time.Since(begin).Round(time.Second))
	}
	require.GreaterOrEqual(t, 2*undone+1, edited, "most of those that edit stay where they are")
}

func number(t *testing.T, variable string, usual int) int {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return usual
	}
	n, err := strconv.Atoi(text)
	require.NoError(t, err, variable)
	return n
}

// monkey is at one program.
type monkey struct {
	*rand.Rand

	t       *testing.T
	d       *xtest.Desktop
	editing bool // it keeps to the document that is open, so that all can be undone
	told    string
	undone  bool
}

// live does a number of actions, or fewer if one of them ends the program, and returns how
// many.
func (m *monkey) live(actions int) (done int) {
	forget := []string{m.d.Home(".config", "svc", "drafts"), m.d.Home(".config", "svc", "tabs.json"), m.d.Home(".local", "share", "svc")} // drafts and runs of an earlier one
	if m.editing {
		forget = append(forget, m.d.Home(".config")) // and how it has left its panels, which decides what is under the mouse
	}
	for _, kept := range forget {
		require.NoError(m.t, os.RemoveAll(kept))
	}
	file := greetingFile(m.t, m.d, "flow.json")
	before := read(m.t, file)
	p := m.d.Open(file)
	p.Fill("")
	p.Rests()
	least := int64(0)
	for done < actions {
		var lines []string
		for range min(monkeyChunk, actions-done) {
			lines = append(lines, m.action()...)
			lines = append(lines, "sleep 0.002")
			done++
		}
		m.d.Script(append(lines, "keyup ctrl", "keyup shift", "keyup alt", "mouseup 1", "mouseup 2", "mouseup 3"))
		p.Rests()
		if status, ended := p.Ended(); ended {
			require.Zero(m.t, status, p.Log())
			m.told = "it was told to quit"
			break
		}
		if done <= 4*monkeyChunk {
			least = p.Memory()
		}
		m.check(file)
	}
	if _, ended := p.Ended(); !ended {
		m.told = fmt.Sprintf("%+d MB", (p.Memory()-least)>>20)
		require.Less(m.t, p.Memory()-least, int64(mostMemory))
		if m.editing && m.stayed(file) {
			m.undo(p, file, before, done)
		}
		require.Zero(m.t, p.Stop(), p.Log())
	}
	require.NotContains(m.t, p.Log(), "panic")
	require.NotContains(m.t, p.Log(), "goroutine ")
	m.check(file)
	return done
}

// check reads what the program keeps.
func (m *monkey) check(file string) {
	m.t.Helper()
	read(m.t, file)
	drafts, err := filepath.Glob(m.d.Home(".config", "svc", "drafts", "*.json"))
	require.NoError(m.t, err)
	for _, path := range drafts {
		text, err := os.ReadFile(path)
		if os.IsNotExist(err) {
			continue // it was not needed any more
		}
		require.NoError(m.t, err)
		var page struct{ Definition json.RawMessage }
		require.NoError(m.t, json.Unmarshal(text, &page), path)
		_, err = workflow.Decode(page.Definition, workflow.Limits{})
		require.NoError(m.t, err, path)
	}
}

// stayed reports whether the only document that is kept is the one in file. Rarely, keys lead
// even one that means to edit to the list of all commands, where it finds *New*.
func (m *monkey) stayed(file string) bool {
	drafts, err := filepath.Glob(m.d.Home(".config", "svc", "drafts", "*.json"))
	require.NoError(m.t, err)
	for _, path := range drafts {
		text, err := os.ReadFile(path)
		require.NoError(m.t, err)
		var page struct{ Origin documents.Origin }
		require.NoError(m.t, json.Unmarshal(text, &page), path)
		if len(drafts) == 1 && page.Origin.File == file {
			return true
		}
	}
	m.told += ", it has gone to another document"
	return false
}

// undo undoes everything, and saves the result.
func (m *monkey) undo(p *xtest.Program, file string, before *workflow.Definition, steps int) {
	m.t.Helper()
	lines := []string{}
	for range 8 {
		lines = append(lines, "key --delay 0 Escape", "sleep 0.05")
	}
	m.d.Script(append(lines, "key F6", "sleep 0.1", "key F6"))
	for range steps/200 + 1 {
		lines = lines[:0]
		for range 200 {
			lines = append(lines, "key --delay 0 ctrl+z", "sleep 0.002")
		}
		m.d.Script(lines)
		p.Rests()
	}
	m.d.Script([]string{"key ctrl+s"})
	p.Rests()
	deadline := time.Now().Add(patience)
	for read(m.t, file).Digest() != before.Digest() {
		if time.Now().After(deadline) {
			path := filepath.Join(os.TempDir(), "svc-desktop-monkey.png")
			m.d.Save(path, m.d.Screen())
			require.FailNow(m.t, "undoing all of it does not lead back", "see %s\n%s\n%s", path, read(m.t, file).AppendJSON(nil), p.Log())
		}
		<-time.After(50 * time.Millisecond)
	}
	m.told += ", all undone"
	m.undone = true
}

func read(t *testing.T, file string) *workflow.Definition {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	def, err := workflow.Decode(text, workflow.Limits{})
	require.NoError(t, err)
	return def
}
