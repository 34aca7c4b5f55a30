package app

import (
	"path"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
)

func TestTemplates(t *testing.T) {
	all, err := Templates()
	require.NoError(t, err)
	var names []string
	a := newTestApp(t, Config{ExtraPlugins: services()})
	for _, tmpl := range all {
		names = append(names, tmpl.Name)
		t.Run(tmpl.Name, func(t *testing.T) {
			require.Equal(t, tmpl.Name, tmpl.Definition.ID)
			require.NotEmpty(t, tmpl.Definition.Name)
			require.NotEmpty(t, tmpl.Definition.Description)
			text, err := templateFiles.ReadFile(path.Join("templates", tmpl.Name+".json"))
			require.NoError(t, err)
			require.Equal(t, string(tmpl.Definition.Format()), string(text), "run svc fmt")
			hints, err := a.Hints(t.Context(), tmpl.Definition)
			require.NoError(t, err)
			require.Empty(t, hints)
			checkLayout(t, a, tmpl.Definition)
			found, err := FindTemplate(tmpl.Name)
			require.NoError(t, err)
			require.Equal(t, tmpl.Definition.Digest(), found.Digest())
		})
	}
	require.Equal(t, []string{
		"alert-on-failure", "api-diff", "api-ingest", "batch-insert", "branch-and-notify", "branch-merge", "captioned-video", "clips-stitched", "compare-daily",
		"cross-post", "csv-report", "directory-digest", "fallback", "fetch-pages", "finally", "foreach-concurrent", "form-mail", "github-hook", "greeting",
		"group-and-sum", "image-edit", "morning-digest", "narrated-slides", "nested-workflow", "only-new", "picture-in-picture", "podcast-cleanup", "poll-until-ready",
		"profile-digest", "read-picture", "retry-with-fallback", "schema-check", "scrape", "search-like-message", "slideshow", "sync-calibration", "sync-lists",
		"text-cleanup", "transform-by-code", "upload-files", "video-renditions", "watch-folder", "webhook-answer",
	}, names)

	_, err = FindTemplate("nothing")
	require.ErrorIs(t, err, ErrNoTemplate)
}

// checkLayout wants nodes from left to right and nothing upon anything else, at every
// level: cards and notes as large as they are drawn.
func checkLayout(t *testing.T, a *App, def *workflow.Definition) {
	t.Helper()
	at := map[string]workflow.Position{}
	for _, n := range def.Nodes {
		require.NotNil(t, n.Position, n.ID)
		at[n.ID] = *n.Position
		if n.Body != nil {
			checkLayout(t, a, n.Body)
		}
	}
	shown := a.Layout(def, true)
	rects := slices.Clone(shown.Notes)
	for _, n := range shown.Nodes {
		require.Equal(t, at[n.ID], workflow.Position{X: n.X, Y: n.Y}, n.ID)
		rects = append(rects, n.Placed)
	}
	for i, r := range rects {
		for _, o := range rects[:i] {
			apart := r.X >= o.X+o.W || o.X >= r.X+r.W || r.Y >= o.Y+o.H || o.Y >= r.Y+r.H
			require.True(t, apart, "%s and %s overlap", r.ID, o.ID)
		}
	}
	for _, c := range def.Connections {
		require.Greater(t, at[c.ToNodeID].X, at[c.FromNodeID].X, "%s → %s", c.FromNodeID, c.ToNodeID)
	}
}

// runTemplate runs a template, changed by change, and returns its outputs.
func runTemplate(t *testing.T, a *App, name string, inputs map[string]any, change func(*workflow.Definition)) map[string]any {
	t.Helper()
	def, err := FindTemplate(name)
	require.NoError(t, err)
	if change != nil {
		change(def)
	}
	ended, err := a.Execute(t.Context(), def, run.Request{Inputs: inputs}, nil)
	require.NoError(t, err)
	require.Equal(t, engine.StatusCompleted, ended.Status(), "%v", ended.Err())
	return ended.Outputs()
}

func TestGreetingTemplate(t *testing.T) {
	a := newTestApp(t, Config{})
	require.Equal(t, map[string]any{"greeting": "Hello, World!"}, runTemplate(t, a, "greeting", nil, nil))
	require.Equal(t, map[string]any{"greeting": "Hello, Ada!"}, runTemplate(t, a, "greeting", map[string]any{"who": "Ada"}, nil))
}

func TestBranchMergeTemplate(t *testing.T) {
	a := newTestApp(t, Config{})
	for celsius, want := range map[float64]string{
		21.5: "21.5 °C is warm: open a window.",
		20:   "20 °C is warm: open a window.",
		-3:   "-3 °C is cold: put the heating on.",
	} {
		outputs := runTemplate(t, a, "branch-merge", map[string]any{"celsius": celsius}, nil)
		require.Equal(t, map[string]any{"advice": want}, outputs)
	}
}

func TestForeachConcurrentTemplate(t *testing.T) {
	a := newTestApp(t, Config{})
	outputs := runTemplate(t, a, "foreach-concurrent", nil, nil)
	require.Equal(t, []any{1, 4, 16}, outputs["squares"])
	require.Equal(t, []any{1, 4, nil, 16}, outputs["all"])
	errs := outputs["errors"].([]any)
	require.Len(t, errs, 1)
	require.Equal(t, 2, errs[0].(map[string]any)["index"])
	require.Contains(t, errs[0].(map[string]any)["message"], "three")

	outputs = runTemplate(t, a, "foreach-concurrent", map[string]any{"texts": []any{}}, nil)
	require.Equal(t, map[string]any{"squares": []any{}, "all": []any{}, "errors": []any{}}, outputs)
}
