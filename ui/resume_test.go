package ui

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/ui/ask"
	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/uitest"
)

func TestARunIsResumedAsTheUserChooses(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.Open("template:greeting")
		b.settle()
		node := b.doc().Nodes()[1].ID
		b.run("run.start")
		b.wait(time.Second)
		record, err := b.app.Run(t.Context(), b.runs.Shown().ID)
		require.NoError(t, err)
		var how *run.Resumption
		b.running.askResume(record, func(said run.Resumption) { how = &said })
		b.settle()
		over := b.win.Canvas().Overlays().Top()
		fields := uitest.Seen[*kit.Select](over)
		require.Len(t, fields, 2)
		require.Len(t, fields[1].Options, 4, "where it stopped, and every node")
		fields[0].SetSelected("As it is stored now")
		fields[1].SetSelectedIndex(2)
		inputs := uitest.First[*kit.Entry](t, over)
		inputs.SetText(`[1]`)
		b.answer("Resume")
		require.Nil(t, how, "these are no inputs")
		inputs.SetText(`{"name": "Ada"}`)
		b.answer("Resume")
		require.Equal(t, &run.Resumption{Current: true, From: node, Inputs: map[string]any{"name": "Ada"}}, how)
	})
}

func TestARunCanBeResumedFromANodeInABody(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.inBody()
		var paths []string
		for _, step := range stepsOf(b.doc().Definition(), nil) {
			paths = append(paths, step.Path)
		}
		require.Contains(t, paths, "foreach")
		require.Contains(t, paths, "foreach/"+b.doc().Nodes()[0].ID)
	})
}

func TestAResumptionCanBeLeft(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		said := false
		b.dialogs.AskResumption([]ask.Step{{Path: "a", Title: "A"}}, func(how run.Resumption) {
			said = true
			require.Equal(t, run.Resumption{}, how, "nothing is changed")
		})
		(&situation{bench: b}).escape()
		require.Nil(t, b.win.Canvas().Overlays().Top())
		require.False(t, said)
		b.dialogs.AskResumption(nil, func(how run.Resumption) {
			said = true
			require.Equal(t, run.Resumption{}, how, "nothing is changed")
		})
		b.answer("Resume")
		require.True(t, said)
	})
}
