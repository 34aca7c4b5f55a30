package engine_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
)

type clipIn struct {
	Clip value.Media `port:"clip,deferred" media:"video" doc:"x"`
}

type clipsIn struct {
	Clips []value.Media `port:"clips,deferred" media:"video" doc:"x"`
}

type fileIn struct {
	Clip value.Media `port:"clip" doc:"x"`
}

type clipOut struct {
	Clip value.Media `port:"clip" media:"video" doc:"x"`
}

type soundIn struct {
	Sound value.Media `port:"sound" media:"audio" doc:"x"`
}

// clips returns nodes that emit recipes if all consumers accept them, and files otherwise.
func clips(t *testing.T) *node.Registry {
	t.Helper()
	give := func(b node.Binding) clipOut {
		if b.Deferred("clip") {
			return clipOut{value.Media{Kind: "video", Recipe: `{"steps":["a"]}`}}
		}
		return clipOut{value.Media{Kind: "video", Path: "made.mp4"}}
	}
	pass := node.FuncFor("clip.pass", "Pass", func(b node.Binding) (func(context.Context, clipIn) (clipOut, error), []node.Problem) {
		return func(context.Context, clipIn) (clipOut, error) { return give(b), nil }, nil
	})
	source := node.FuncFor("clip.make", "Make", func(b node.Binding) (func(context.Context, struct{}) (clipOut, error), []node.Problem) {
		return func(context.Context, struct{}) (clipOut, error) { return give(b), nil }, nil
	})
	many := node.Func("clip.join", "Join", func(context.Context, clipsIn) (clipOut, error) {
		return clipOut{value.Media{Kind: "video", Path: "joined.mp4"}}, nil
	})
	file := node.Func("clip.show", "Show", func(_ context.Context, in fileIn) (fileIn, error) { return in, nil })
	hear := node.Func("clip.hear", "Hear", func(_ context.Context, in soundIn) (soundIn, error) { return in, nil })
	extract := node.Func("clip.extract", "Extract", func(context.Context, clipIn) (soundIn, error) { return soundIn{}, nil }).
		Converts(value.MediaOf("video"), value.MediaOf("audio"))
	r, err := node.NewRegistry(node.Bundle{Name: "clip", Category: "Clip", Nodes: []node.Node{source, pass, many, file, hear, extract}})
	require.NoError(t, err)
	return r
}

func clipPlan(t *testing.T, disabled string, wires ...string) (*engine.Plan, error) {
	t.Helper()
	def := &workflow.Definition{ID: "clips"}
	seen := map[string]bool{}
	for _, wire := range wires {
		var from, to, port string
		_, err := fmt.Sscan(wire, &from, &to, &port)
		require.NoError(t, err)
		for _, id := range []string{from, to} {
			if !seen[id] {
				seen[id] = true
				def.Nodes = append(def.Nodes, workflow.Node{ID: id, Type: "clip." + id[:len(id)-1], Disabled: id == disabled})
			}
		}
		def.Connections = append(def.Connections, workflow.Connection{FromNodeID: from, FromPort: "clip", ToNodeID: to, ToPort: port})
	}
	return engine.Compile(t.Context(), def, engine.Env{Registry: clips(t)})
}

func ran(t *testing.T, plan *engine.Plan, o engine.Options) *engine.Result {
	t.Helper()
	o.KeepOutputs = engine.KeepAll
	run, err := new(engine.Local).Run(t.Context(), plan, o)
	require.NoError(t, err)
	return run.Result()
}

func TestWhatTakesRecipesIsToldToWhatPutsThemOut(t *testing.T) {
	for name, c := range map[string]struct {
		disabled string
		wires    []string
		made     bool // make1 emits a recipe
	}{
		"one that does":                       {"", []string{"make1 pass1 clip"}, true},
		"a list that does":                    {"", []string{"make1 join1 clips"}, true},
		"two that do":                         {"", []string{"make1 pass1 clip", "make1 join1 clips"}, true},
		"one that does not":                   {"", []string{"make1 show1 clip"}, false},
		"one that does and one that does not": {"", []string{"make1 pass1 clip", "make1 show1 clip"}, false},
		"order needs no file":                 {"", []string{"make1 pass1 clip", "make1 pass2 $after", "make1 pass2 clip"}, true},
		"nothing but order":                   {"", []string{"make1 make2 $after"}, false},
		"one that is disabled":                {"show1", []string{"make1 pass1 clip", "make1 show1 clip"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			plan, err := clipPlan(t, c.disabled, c.wires...)
			require.NoError(t, err)
			result := ran(t, plan, engine.Options{})
			made := result.Nodes["make1"].Outputs["clip"].(value.Media)
			require.Equal(t, c.made, made.Recipe != "", "%+v", made)
		})
	}
}

// TestRecordedRecipesAreTakenOverWhereTheyWouldBePutOut resumes a run with a changed graph,
// in which nodes need a file where they accepted a recipe before.
func TestRecordedRecipesAreTakenOverWhereTheyWouldBePutOut(t *testing.T) {
	recorded := map[string]any{"clip": map[string]any{"kind": "video", "mime": "", "recipe": map[string]any{"steps": []any{"old"}}}}
	for to, want := range map[string]string{"pass1 clip": `{"steps":["old"]}`, "show1 clip": ""} {
		plan, err := clipPlan(t, "", "make1 "+to)
		require.NoError(t, err)
		result := ran(t, plan, engine.Options{Reuse: func(path string) (map[string]any, bool) {
			return recorded, path == "make1"
		}})
		require.Equal(t, want, result.Nodes["make1"].Outputs["clip"].(value.Media).Recipe, to)
	}
}

func TestMediaOfAnotherKindIsAMismatchWhoseHintNamesTheNodeThatConverts(t *testing.T) {
	_, err := clipPlan(t, "", "make1 hear1 sound")
	var problems engine.ValidationErrors
	require.ErrorAs(t, err, &problems)
	require.Len(t, problems, 1)
	require.Equal(t, "media(video) does not fit into media(audio)", problems[0].Message)
	require.Equal(t, "put clip.extract between them", problems[0].Hint)
}
