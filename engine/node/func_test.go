package node_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// install makes a registry of nodes.
func install(t testing.TB, nodes ...node.Node) *node.Registry {
	t.Helper()
	r, err := node.NewRegistry(node.Bundle{Nodes: nodes})
	require.NoError(t, err)
	return r
}

// callOf returns the call of the only node of r.
func callOf(t testing.TB, r *node.Registry) node.Call {
	t.Helper()
	n, ok := r.Lookup(r.Specs()[0].Type)
	require.True(t, ok)
	bound, problems := n.Bind(node.Binding{Spec: &n.Spec})
	require.Empty(t, problems)
	require.Equal(t, n.Spec.Inputs, bound.Inputs)
	require.Equal(t, n.Spec.Outputs, bound.Outputs)
	return bound.Call
}

type point struct {
	X int  `port:"x"`
	Y *int `port:"y"`
}

type common struct {
	Ref value.Credential `port:"credential" network:"pronet|microblog" doc:"Who."`
}

type everything struct {
	common
	Text   string         `port:"text" doc:"Some text." widget:"multiline"`
	Flag   bool           `port:"flag"`
	Count  int            `port:"count" default:"10"`
	Ratio  float64        `port:"ratio,optional"`
	Any    any            `port:"any" default:"9007199254740993"`
	List   []any          `port:"list"`
	Record map[string]any `port:"record"`
	Media  value.Media    `port:"media"`
	Maybe  *string        `port:"maybe,optional"`
	Mode   string         `port:"mode" enum:"a|b" default:"b"`
	MayBe  *string        `port:"may_mode" enum:"a|b"`
	Name   string         `port:"name,literal"`
	Names  []string       `port:"names" default:"[\"x\"]"`
	At     point          `port:"at"`
	Path   []point        `port:"path"`
	NoPort string
}

func TestFuncPorts(t *testing.T) {
	r := install(t, node.Func("t.everything", "All", func(_ context.Context, in everything) (everything, error) { return in, nil }))
	want := map[string]string{
		"credential": "credential", "text": "string", "flag": "bool", "count": "int", "ratio": "float", "any": "any", "list": "list<any>",
		"record": "record", "media": "media", "maybe": "string?", "mode": "enum(a|b)", "may_mode": "enum(a|b)?", "name": "string",
		"names": "list<string>", "at": "record{x:int,y:int?}", "path": "list<record{x:int,y:int?}>",
	}
	got := map[string]string{}
	ports := map[string]node.Port{}
	for _, p := range r.Specs()[0].Inputs {
		got[p.Name] = p.Type.String()
		ports[p.Name] = p
	}
	require.Equal(t, want, got)
	require.Equal(t, []string{"pronet", "microblog"}, ports["credential"].Networks)
	require.Equal(t, "Who.", ports["credential"].Description)
	require.Equal(t, "multiline", ports["text"].Widget)
	require.Equal(t, 10, ports["count"].Default)
	require.Equal(t, 9007199254740993, ports["any"].Default)
	require.Equal(t, []any{"x"}, ports["names"].Default)
	require.Equal(t, "b", ports["mode"].Default)
	require.True(t, ports["name"].Literal)
	var required []string
	for _, p := range r.Specs()[0].Inputs {
		if p.Required() {
			required = append(required, p.Name)
		}
	}
	require.Equal(t, []string{"credential", "text", "flag", "list", "record", "media", "may_mode", "name", "at", "path"}, required)
}

func TestFuncMovesValues(t *testing.T) {
	r := install(t, node.Func("t.everything", "All", func(_ context.Context, in everything) (everything, error) { return in, nil }))
	in := []any{
		value.Credential("pronet:main"), "text", true, 3, 0.5,
		[]any{1, "a"},
		[]any{nil},
		map[string]any{"a": nil},
		value.Media{Kind: "image", MIME: "image/png", Path: "a.png"},
		"maybe", "a", nil, "name",
		[]any{"p", "q"},
		map[string]any{"x": 1, "y": 2},
		[]any{map[string]any{"x": 3, "y": nil}},
	}
	out := make([]any, len(in))
	require.NoError(t, callOf(t, r)(t.Context(), in, out))
	require.Equal(t, in, out)
}

func TestFuncAbsentIsZero(t *testing.T) {
	type in struct {
		A *string `port:"a,optional"`
		B int     `port:"b,optional"`
		C []any   `port:"c,optional"`
	}
	type out struct {
		A *string `port:"a"`
		B int     `port:"b"`
		C []any   `port:"c"`
	}
	call := callOf(t, install(t, node.Func("t.n", "N", func(_ context.Context, in in) (out, error) { return out(in), nil })))
	for _, in := range [][]any{{"x", 1, []any{1}}, {node.Absent{}, node.Absent{}, node.Absent{}}} {
		out := make([]any, 3)
		require.NoError(t, call(t.Context(), in, out))
		if !node.Present(in[0]) {
			require.Equal(t, []any{nil, 0, []any(nil)}, out, "nothing is left of the call before")
		}
	}
}

func TestFuncChecksWhatItReturns(t *testing.T) {
	type in struct{}
	returning := func(v any) error {
		type out struct {
			V any `port:"v"`
		}
		call := callOf(t, install(t, node.Func("t.n", "N", func(context.Context, in) (out, error) { return out{v}, nil })))
		return call(t.Context(), nil, make([]any, 1))
	}
	require.NoError(t, returning([]any{1}))
	require.Equal(t, node.CodeNotFinite, node.CodeOf(returning(math.NaN())))
	require.Equal(t, node.CodeTypeError, node.CodeOf(returning(int64(1))))
	require.Equal(t, node.CodeTypeError, node.CodeOf(returning(string([]byte{0xff}))))

	type moded struct {
		Mode string `port:"mode" enum:"a|b"`
	}
	call := callOf(t, install(t, node.Func("t.n", "N", func(context.Context, in) (moded, error) { return moded{"c"}, nil })))
	err := call(t.Context(), nil, make([]any, 1))
	require.Equal(t, node.CodeTypeError, node.CodeOf(err))
	require.True(t, node.IsPermanent(err))
	require.ErrorContains(t, err, `output "mode"`)
}

func TestFuncRefusesValuesOfOtherTypes(t *testing.T) {
	type in struct {
		Path []point `port:"path"`
	}
	call := callOf(t, install(t, node.Func("t.n", "N", func(context.Context, in) (struct{}, error) { return struct{}{}, nil })))
	for _, v := range []any{1, []any{1}, []any{map[string]any{"x": "one"}}} {
		require.Equal(t, node.CodeTypeError, node.CodeOf(call(t.Context(), []any{v}, nil)))
	}
}

func TestFuncBadTags(t *testing.T) {
	type cycle struct {
		Next []*cycle `port:"next"`
	}
	type list []list
	type in struct {
		A chan int        `port:"a"`
		B int             `port:"b,often"`
		C int             `port:"c" default:"x"`
		D int             `port:"d" enum:"a|b"`
		E string          `port:"e" enum:"a||b"`
		f string          `port:"f"`
		G struct{ X int } `port:"g,"`
		H int             `port:"h" default:"1.5"`
		I point           `port:"i" default:"{\"x\":\"one\"}"`
		J struct {
			K int `port:"k" default:"1"`
		} `port:"j"`
		L list `port:"l"`
	}
	type embedded struct{ *common }
	_ = in{}.f
	_, err := node.NewRegistry(node.Bundle{Nodes: []node.Node{
		node.Func("t.tags", "T", func(context.Context, in) (cycle, error) { panic("never called") }),
		node.Func("t.pointer", "P", func(context.Context, embedded) (int, error) { panic("never called") }),
	}})
	require.Error(t, err)
	for _, want := range []string{
		`"t.tags"`, "field A: the Go type chan int", `unknown flag "often"`, `default "x"`, "only strings can be enums", "field E", "field f: a port's field has to be exported",
		"field H", "field I", "field J", "contains itself", `"t.pointer"`, "embedded by value", "int is no struct",
	} {
		require.ErrorContains(t, err, want)
	}
}

func TestFuncIsSafeForConcurrentUse(t *testing.T) {
	type text struct {
		Text string `port:"text"`
	}
	errOdd := errors.New("odd")
	call := callOf(t, install(t, node.Func("t.n", "N", func(_ context.Context, in text) (text, error) {
		if len(in.Text)%3 == 1 {
			return text{"of a failed call"}, errOdd
		}
		if len(in.Text)%3 == 2 {
			panic("of a call that panics")
		}
		return in, nil
	})))
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 500 {
				want := strings.Repeat("x", g+i%7)
				out := make([]any, 1)
				err := safely(func() error { return call(context.Background(), []any{want}, out) })
				if len(want)%3 == 0 && (err != nil || out[0] != want) {
					t.Errorf("got %v, %v", out[0], err)
				}
			}
		})
	}
	wg.Wait()
}

func safely(f func() error) (err error) {
	defer func() {
		if recover() != nil {
			err = errors.New("panic")
		}
	}()
	return f()
}

func TestNodeSettings(t *testing.T) {
	type none struct{}
	r := install(t, node.Func("t.n", "N", func(context.Context, none) (none, error) { return none{}, nil }).
		Doc("text").Pure().Inline().Timeout(time.Second))
	s := r.Specs()[0]
	require.True(t, s.Pure && s.Inline)
	require.Equal(t, time.Second, s.Timeout)
	require.Equal(t, "text", s.Description)
	require.Equal(t, "t", s.Plugin())
}

func BenchmarkFunc(b *testing.B) {
	type text struct {
		Text string `port:"text"`
	}
	call := callOf(b, install(b, node.Func("t.n", "N", func(_ context.Context, in text) (text, error) { return in, nil })))
	in, out := []any{"hello"}, []any{nil}
	b.ReportAllocs()
	for b.Loop() {
		if err := call(b.Context(), in, out); err != nil {
			b.Fatal(err)
		}
	}
}
