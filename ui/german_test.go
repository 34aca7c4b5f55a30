package ui

import (
	"bytes"
	"log"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/nodes"
)

// TestEveryCommandWorksInGerman runs every command in a German window. Texts without a
// translation stay English; `make translations` lists them.
func TestEveryCommandWorksInGerman(t *testing.T) {
	inGerman(t)
	var logged bytes.Buffer
	before := log.Writer()
	log.SetOutput(&logged)
	t.Cleanup(func() { log.SetOutput(before) })
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, dir, func(c *Config) { c.Translations = nodes.Translations() })
		s := &situation{bench: b, again: func() {}}
		s.work()
		require.Equal(t, "Verzweigung", label(b, "control.branch"))
		for _, spec := range b.specs.All() {
			require.NotContains(t, spec.Description, "Example:", spec.Type)
		}
		s.run("run.start")
		s.running.Leave()
		s.settle()
		for what, do := range s.everything() {
			s.try(t, what, do)
		}
	})
	for line := range strings.Lines(logged.String()) {
		if strings.Contains(line, "Translation failure") {
			missing(t, "German window", strings.TrimSpace(line))
		}
	}
}

// label returns what the window calls a node type.
func label(b *bench, typ string) string {
	spec, _ := b.specs.Lookup(typ)
	return spec.Label
}

// inGerman has the windows of a test speak German.
func inGerman(t *testing.T) {
	t.Helper()
	t.Cleanup(func() { require.NoError(t, translate()) }) // after the variables are what they were
	for name, value := range map[string]string{"LC_ALL": "", "LC_MESSAGES": "", "LANG": "de_DE.UTF-8", "LANGUAGE": "de"} {
		t.Setenv(name, value)
	}
	require.NoError(t, translate())
}
