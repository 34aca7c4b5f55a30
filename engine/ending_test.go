package engine_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
)

// TestAtEnd registers functions for the end of the run from nodes of a workflow and of a
// body.
func TestAtEnd(t *testing.T) {
	type in struct {
		What string `port:"what" doc:"What to do."`
	}
	type none struct{}
	for name, tt := range map[string]struct {
		what   string
		status engine.Status
		code   string
		told   []string
	}{
		"completed": {"", engine.StatusCompleted, "", []string{"host true ", "a true ", "b true "}},
		"failed":    {"fail", engine.StatusFailed, "broken", []string{"host false broken", "a false broken", "b false broken"}},
		"refused":   {"refuse", engine.StatusFailed, "refused", []string{"host true ", "a true ", "b false refused"}},
		"panicking": {"panic", engine.StatusFailed, node.CodePanic, []string{"host true ", "a true ", "b false panic"}},
		"cancelled": {"cancel", engine.StatusCancelled, "cancelled", []string{"host false cancelled", "a false cancelled", "b false cancelled"}},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var told []string
			tell := func(who, what string) engine.AtEnd {
				return func(_ context.Context, how node.Ending) error {
					if told = append(told, who+map[bool]string{true: " true ", false: " false "}[how.Completed]+how.Code); !how.Completed {
						return errors.New("in vain")
					}
					switch what {
					case "refuse":
						return node.Errorf("refused", "no")
					case "panic":
						panic("no")
					}
					return nil
				}
			}
			register := func(ctx context.Context, in in) (none, error) {
				if !node.AtEnd(ctx, tell(in.What, map[string]string{"a": tt.what}[in.What])) {
					return none{}, errors.New("nobody ends")
				}
				return none{}, nil
			}
			last := func(ctx context.Context, in in) (none, error) {
				switch in.What {
				case "fail":
					return none{}, node.Errorf("broken", "as wanted")
				case "cancel":
					cancel()
					<-ctx.Done()
					return none{}, ctx.Err()
				}
				return none{}, nil
			}
			registry, err := node.NewRegistry(node.Bundle{Nodes: []node.Node{
				node.Func("test.register", "Register", register), node.Func("test.last", "Last", last),
			}})
			require.NoError(t, err)
			def := decode(t, []byte(`{"id":"w","nodes":[{"id":"a","type":"test.register","config":{"what":"a"}},
				{"id":"b","type":"test.register","config":{"what":"b"}},{"id":"c","type":"test.last","config":{"what":"`+tt.what+`"}}],
				"connections":[{"fromNodeId":"a","fromPort":"$done","toNodeId":"b","toPort":"$after"},{"fromNodeId":"b","fromPort":"$done","toNodeId":"c","toPort":"$after"}]}`))
			plan, err := engine.Compile(t.Context(), def, engine.Env{Registry: registry})
			require.NoError(t, err)
			var final engine.Event
			ended, err := new(engine.Local).Run(ctx, plan, engine.Options{RunID: "r", AtEnd: []engine.AtEnd{tell("host", "")}, Observe: func(e engine.Event) {
				if final = e; e.Name.Terminal() {
					require.Len(t, told, 3, "before anybody is told the end")
				}
			}})
			require.NoError(t, err)
			require.Equal(t, tt.status, ended.Status())
			require.Equal(t, tt.status, final.Result.Status)
			require.Equal(t, tt.told, told)
			if tt.code != "" {
				require.Equal(t, tt.code, ended.Err().Code)
			}
		})
	}
}

func TestAtEndOutsideOfRuns(t *testing.T) {
	require.False(t, node.AtEnd(t.Context(), func(context.Context, node.Ending) error { return nil }))
	require.Nil(t, node.StateOf(t.Context()))
}
