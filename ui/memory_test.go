package ui

import (
	"os"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/workspace"
)

// flat requires that repeating an action leaks at most most bytes, after a first round has
// filled the caches. Caches may still grow in one round or two; a leak grows in every one.
func (b *bench) flat(most int64, times int, do func(i int)) {
	b.t.Helper()
	measure := func() int64 {
		b.expire()
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	for i := range times {
		do(i)
	}
	const rounds = 3
	for round := 1; ; round++ {
		before := measure()
		for i := range times {
			do(i)
		}
		grown := measure() - before
		b.t.Logf("%d times: %+d KB", times, grown>>10)
		if grown < most {
			return
		}
		require.Less(b.t, round, rounds, "bytes are kept")
	}
}

// expire lets the toolkit forget what was not shown for a minute, as it does while it
// paints.
func (b *bench) expire() {
	for range 3 {
		b.settle()
		time.Sleep(40 * time.Second) //nolint:forbidigo // of the bubble
		b.settle()
		b.win.Canvas().Capture()
	}
}

// wide is a workflow of many nodes with all kinds of fields.
func wide() *workflow.Definition {
	types := []string{"text.format", "io.http_request", "control.if", "text.split", "json.jq", "control.delay", "io.file_read", "control.foreach"}
	def := &workflow.Definition{ID: "many", Name: "Many"}
	for i := range 100 {
		def.Nodes = append(def.Nodes, workflow.Node{
			ID: "n" + strconv.Itoa(i), Type: types[i%len(types)],
			Position: &workflow.Position{X: float64(i % 40 * 260), Y: float64(i / 40 * 260)},
		})
	}
	return def
}

// TestNothingGrows does it all in one window: the toolkit remembers when it has forgotten
// something last, and time begins anew with each.
func TestNothingGrows(t *testing.T) {
	if os.Getenv("SVC_SOAK") == "" {
		t.Skip("make soak")
	}
	inWindow(t, func(t *testing.T, b *bench) {
		time.Sleep(1000 * time.Hour) //nolint:forbidigo // of the bubble; longer than any other test takes
		b.workspace.Open(workspace.FromDefinition(wide()))
		b.settle()
		nodes := b.doc().Nodes()
		b.flat(2<<20, 1000, func(i int) {
			require.True(t, b.board().Show(nodes[i%len(nodes)].ID))
			b.views.Refresh()
		})
		b.Open("template:greeting")
		b.settle()
		b.flat(2<<20, 200, b.oneDialog)
		b.run("run.history")
		b.flat(200*journal, 200, func(i int) {
			b.run("run.start")
			b.wait(200 * time.Millisecond)
			b.views.panels.bottom.Select(i % 3)
			b.settle()
		})
	})
}

// journal is more than what is kept of a run, which is in memory here.
const journal = 16 << 10

// oneDialog opens something over the window, and leaves it.
func (b *bench) oneDialog(i int) {
	all := []string{"help.about", "file.save-as", "help.shortcuts", "help.commands", "place.connect", "place.accounts", "node.add", "place.choose"}
	b.run(all[i%len(all)])
	for b.win.Canvas().Overlays().Top() != nil {
		(&situation{bench: b}).escape()
	}
}
