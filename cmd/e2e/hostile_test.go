//go:build e2e && linux

package e2e_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/stretchr/testify/require"
)

// attack is a load that exceeds a limit. Each runs against a separate server, which
// has to survive it, to be healthy within a second, and to name the limit.
type attack struct {
	name   string
	budget string // what bounds it, in the words of docs/limits.md and docs/operate.md
	always bool   // not for `make hostile` only
	with   start  // mb is 1,024 unless it says otherwise
	beside bool   // others work meanwhile, as they did before it, and memory has to be given back soon
	do     func(v *victim)
	told   string        // what the answer to the attacker has to contain; alternatives are split at "|"
	peak   int           // MB that the server may have at most; 0 for what with.mb says
	within time.Duration // how long the slowest health check may take; 0 for a second
	cpu    time.Duration // how much of it the server may spend; 0 for any
}

// attacks are all of them. Each file of attacks adds its own.
func attacks() []attack {
	return slices.Concat(budgetAttacks(), validationAttacks(), draftAttacks(), failureAttacks(), fileAttacks())
}

// TestHostile runs the attacks that always run, or all of them for `make hostile`, and prints
// the result of each.
func TestHostile(t *testing.T) {
	all := os.Getenv("SVC_HOSTILE") == "all"
	var table bytes.Buffer
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "attack\tbudget\tpeak\thealth\truns beside it\tgoal\tcpu\ttold")
	for _, a := range attacks() {
		if !all && !a.always {
			continue
		}
		t.Run(a.name, func(t *testing.T) {
			v := a.run(t)
			_, _ = fmt.Fprintf(w, "%s\t%s\t%d MB\t%v\t%s\t%s\t%v\t%s\n", a.name, a.budget, v.peak()>>20,
				v.slowest.Round(time.Millisecond), v.others, a.goal(), v.spent, v.said())
		})
	}
	require.NoError(t, w.Flush())
	t.Logf("\n%s", table.String())
}

// goal is what runs beside an attack are to take at most, as one in a hundred does, against
// what they took before it. It is logged and not required, because the machine may be busy.
func (a attack) goal() string {
	if a.beside {
		return "×3"
	}
	return ""
}

// run makes an attack and requires that the server survives it.
func (a attack) run(t *testing.T) *victim {
	s := a.with
	if s.mb == 0 {
		s.mb = 1024
	}
	v := &victim{binary: launch(t, s)}
	before := v.cpu()
	v.attacked(a)
	require.True(t, healthy(v.url+"/"), "the server has not stood it: %s", v.lastWords())
	within, cpu := max(a.within, time.Second), a.cpu
	if os.Getenv("SVC_HOSTILE") != "all" { // the machine may be slow, and others be at work on it
		within, cpu = max(within, 30*time.Second), 5*cpu
	}
	require.LessOrEqual(t, v.slowest, within, "health")
	if v.spent = v.cpu() - before; cpu > 0 {
		require.LessOrEqual(t, v.spent, cpu, "time of the processor")
	}
	if a.told != "" {
		require.True(t, slices.ContainsFunc(strings.Split(a.told, "|"), func(word string) bool { return strings.Contains(v.said(), word) }),
			"the answer to the attacker is %s, not %s", v.said(), a.told)
	}
	if a.peak > 0 {
		require.LessOrEqual(t, v.peak()>>20, a.peak, "MB")
	}
	return v
}

// victim is a server under attack.
type victim struct {
	*binary

	slowest time.Duration // answer of the health check
	others  string        // how they fared
	spent   time.Duration // time of the processor
	mu      sync.Mutex
	words   []string // the answer to the attacker
}

// post sends a hostile body and records the answer.
func (v *victim) post(path, body string) reply { return v.ask("POST", path, body) }

func (v *victim) ask(method, path, body string) reply {
	r, err := v.try(method, path, body)
	if err != nil {
		v.note("nothing: " + err.Error())
		return r
	}
	v.note(fmt.Sprintf("%d %s", r.status, r.gist()))
	return r
}

func (v *victim) note(words string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if !slices.Contains(v.words, words) && len(v.words) < 4 {
		v.words = append(v.words, words)
	}
}

// said returns the answer to the attacker.
func (v *victim) said() string { return strings.Join(v.words, "; ") }

// lastWords returns the beginning of the message of a program that crashes.
func (v *victim) lastWords() string {
	log := v.logged()
	if i := strings.Index(log, "fatal error"); i >= 0 {
		log = log[i:]
	}
	return log[:min(len(log), 500)]
}

// gist returns what an answer says: the code of a problem, the state of a run and why it
// failed, or how long it is.
func (r reply) gist() string {
	var answer struct {
		Code, Status json.RawMessage
		Truncated    int
		Error        *struct{ Code, Message string }
	}
	var list []struct {
		Code      string
		Truncated int
	}
	size := fmt.Sprintf("(%d kB)", len(r.body)>>10)
	switch {
	case json.Unmarshal(r.body, &list) == nil && len(list) > 0:
		return fmt.Sprintf("%s… truncated %d %s", list[0].Code, list[len(list)-1].Truncated, size)
	case json.Unmarshal(r.body, &answer) != nil:
		return size
	case answer.Error != nil:
		return fmt.Sprintf("%s %.60s %s", answer.Error.Code, answer.Error.Message, size)
	case r.status >= http.StatusBadRequest && answer.Truncated > 0:
		return fmt.Sprintf("%s truncated %d %s", answer.Code, answer.Truncated, size)
	case r.status >= http.StatusBadRequest:
		return string(answer.Code)
	}
	return fmt.Sprintf("%s %s", answer.Status, size)
}

// workflowOf returns a document of nodes.
func workflowOf(id string, nodes, connections []string) string {
	return fmt.Sprintf(`{"id":%q,"nodes":[%s],"connections":[%s]}`, id, strings.Join(nodes, ","), strings.Join(connections, ","))
}

// repeated returns n texts made of their numbers.
func repeated(n int, text func(i int) string) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = text(i)
	}
	return list
}

// sizeOf returns how many bytes the files below a folder of the data directory have.
func (v *victim) sizeOf(folder string) (bytes int) {
	v.t.Helper()
	require.NoError(v.t, filepath.WalkDir(filepath.Join(v.data, folder), func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			bytes += int(info.Size())
		}
		return err
	}))
	return bytes
}
