package enginetest

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/workflow"
)

// Kit is a plugin of node types for tests, "test.*", and the stored workflows that they may
// call. It counts the calls of its nodes. Its methods are safe for concurrent use. Each
// test uses its own kit.
type Kit struct {
	mu     sync.Mutex
	stored map[string]*workflow.Definition
	calls  map[string]int
	loads  []string
	failed map[string]int
}

// NewKit returns a kit without stored workflows.
func NewKit() *Kit {
	return &Kit{stored: map[string]*workflow.Definition{}, calls: map[string]int{}, failed: map[string]int{}}
}

// PluginName implements [node.Named].
func (k *Kit) PluginName() string { return "test" }

// Install implements [node.Plugin].
func (k *Kit) Install(r *node.Registrar) {
	for _, group := range [][]node.Node{passing(), listing(), failing(k), waiting(), telling(), bordering(), starting(), containing()} {
		for _, n := range group {
			r.Register(k.counted(n))
		}
	}
	installMaps(k, r)
}

// counted returns n with its calls counted in k.
func (k *Kit) counted(n node.Node) node.Node {
	bind, typ := n.Bind, n.Spec.Type
	n.Bind = func(b node.Binding) (node.Bound, []node.Problem) {
		made, problems := bind(b)
		inner := made.Call
		made.Call = func(ctx context.Context, in, out []any) error {
			k.count(typ)
			return inner(ctx, in, out)
		}
		return made, problems
	}
	return n
}

func (k *Kit) count(typ string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.calls[typ]++
}

// Calls returns the number of calls of nodes of the given types, or of all nodes if no
// types are given.
func (k *Kit) Calls(types ...string) int {
	k.mu.Lock()
	defer k.mu.Unlock()
	n := 0
	for _, typ := range types {
		n += k.calls[typ]
	}
	if len(types) == 0 {
		for _, c := range k.calls {
			n += c
		}
	}
	return n
}

// Loads returns the ids of the loaded stored workflows, in order.
func (k *Kit) Loads() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return append([]string(nil), k.loads...)
}

// Store stores def, so that "test.sub" can call it by its id.
func (k *Kit) Store(def *workflow.Definition) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.stored[def.ID] = def
}

// Env returns the environment to compile workflows of the kit's nodes, without limits.
func (k *Kit) Env(tb testing.TB) engine.Env {
	tb.Helper()
	registry, err := node.NewRegistry(k)
	require.NoError(tb, err)
	return engine.Env{Registry: registry, Load: k.load}
}

// Compile compiles f, which must be valid.
func (k *Kit) Compile(tb testing.TB, f *Flow) *engine.Plan {
	tb.Helper()
	plan, err := engine.Compile(tb.Context(), f.Definition(), k.Env(tb))
	require.NoError(tb, err)
	return plan
}

func (k *Kit) load(_ context.Context, id string) (*workflow.Definition, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.loads = append(k.loads, id)
	def, ok := k.stored[id]
	if !ok {
		return nil, fmt.Errorf("%w: %q", workflow.ErrNotFound, id)
	}
	return def, nil
}

// input returns an input port for the kit's nodes.
func input(name, typ string, optional bool) node.Port {
	return node.Port{Name: name, Type: parse(typ), Optional: optional, Description: "for tests"}
}

func output(name, typ string) node.Port {
	return node.Port{Name: name, Type: parse(typ), Description: "for tests"}
}

func literal(name, typ string, optional bool) node.Port {
	p := input(name, typ, optional)
	p.Literal = true
	return p
}
