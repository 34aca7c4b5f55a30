package control_test

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/control"
)

// fakeBody is a body whose behaviour is a function.
type fakeBody struct {
	inputs, outputs []node.Port
	run             func(ctx context.Context, step int, inputs record) (record, error)
}

func (b *fakeBody) Inputs() []node.Port  { return b.inputs }
func (b *fakeBody) Outputs() []node.Port { return b.outputs }

// Run checks inputs as [node.Body] promises.
func (b *fakeBody) Run(ctx context.Context, step int, inputs map[string]any) (map[string]any, error) {
	taken := record{}
	for _, p := range b.inputs {
		v, given := inputs[p.Name]
		if !given {
			continue
		}
		v, err := value.Conform(v, p.Type)
		if err != nil {
			return nil, node.Errorf(node.CodeTypeError, "input %q: %w", p.Name, err)
		}
		taken[p.Name] = v
	}
	return b.run(ctx, step, taken)
}

// in and out return ports of a fake body: optional inputs, and outputs of any type.
func in(name, typ string) node.Port {
	return node.Port{Name: name, Type: value.MustType(typ), Optional: true}
}

func outs(names ...string) []node.Port {
	ports := make([]node.Port, len(names))
	for i, name := range names {
		ports[i] = node.Port{Name: name, Type: value.Any()}
	}
	return ports
}

// bind binds a container to a body. config needs only the inputs that differ from their
// defaults.
func bind(t *testing.T, typ string, config record, body *fakeBody) (node.Bound, []node.Problem) {
	t.Helper()
	r, err := node.NewRegistry(control.Plugin())
	require.NoError(t, err)
	n, ok := r.Lookup(typ)
	require.True(t, ok)
	b := node.Binding{Spec: &n.Spec, Config: config, Wired: func(string) bool { return false }}
	if body != nil {
		b.Body = body
	}
	return n.Bind(b)
}

// exec binds a container, fills in inputs and defaults, and calls it.
func exec(ctx context.Context, t *testing.T, typ string, inputs record, body *fakeBody) (record, error) {
	t.Helper()
	bound, problems := bind(t, typ, nil, body)
	require.Empty(t, problems)
	in, out := make([]any, len(bound.Inputs)), make([]any, len(bound.Outputs))
	for i, p := range bound.Inputs {
		v, given := inputs[p.Name]
		switch {
		case given:
			in[i] = v
		case p.Default != nil:
			in[i] = p.Default
		default:
			in[i] = node.Absent{}
		}
	}
	for i := range out {
		out[i] = node.Absent{}
	}
	if err := bound.Call(ctx, in, out); err != nil {
		return nil, err
	}
	outputs := record{}
	for i, p := range bound.Outputs {
		if node.Present(out[i]) {
			v, err := value.Conform(out[i], p.Type)
			require.NoError(t, err)
			require.NoError(t, value.Check(v))
			outputs[p.Name] = out[i]
		}
	}
	return outputs, nil
}

// progress records what a node reports.
type progress struct {
	mu    sync.Mutex
	steps [][2]int
}

func (p *progress) Conceal(string)       {}
func (p *progress) ConcealOutput(string) {}

func (p *progress) Redact(text string) string { return text }

func (p *progress) Key() string { return "" }
func (p *progress) Progress(step, total int, _ string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.steps = append(p.steps, [2]int{step, total})
}

func portNames(ports []node.Port) []string {
	names := make([]string, len(ports))
	for i, p := range ports {
		names[i] = p.Name + ":" + p.Type.String()
	}
	return names
}

func TestContainersTakeTheirBodysPorts(t *testing.T) {
	inputs := []node.Port{
		in("item", "string"),
		{Name: "Größe in cm", Type: value.Int(), Default: 3, Description: "How tall."},
		{Name: "key", Type: value.CredentialType(), Networks: []string{"pronet"}},
	}
	body := &fakeBody{inputs: inputs, outputs: []node.Port{
		{Name: "item", Type: value.String()}, {Name: "continue", Type: value.Bool()}, {Name: "note", Type: value.MustType("string?")},
	}}
	tests := []struct {
		typ     string
		inputs  []string
		outputs []string
	}{
		{
			"control.foreach",
			[]string{"list:list<any>", "concurrency:int", "onItemError:enum(fail|skip)", "Größe in cm:int", "key:credential"},
			[]string{"item:list<string?>", "continue:list<bool?>", "note:list<string?>", "count:int", "errors:list<record{index:int,item:any,code:string,message:string}>"},
		},
		{
			"control.while",
			[]string{"maxIterations:int", "item:string", "Größe in cm:int", "key:credential"},
			[]string{"item:string", "note:string?", "iterations:int"},
		},
		{
			"control.subworkflow",
			[]string{"workflowId:string", "item:string", "Größe in cm:int", "key:credential"},
			[]string{"item:string", "continue:bool", "note:string?"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.typ, func(t *testing.T) {
			bound, problems := bind(t, tt.typ, nil, body)
			require.Empty(t, problems)
			require.Equal(t, tt.inputs, portNames(bound.Inputs))
			require.Equal(t, tt.outputs, portNames(bound.Outputs))
			last := bound.Inputs[len(bound.Inputs)-2:]
			require.Equal(t, inputs[1], last[0])
			require.True(t, last[1].Required())
			require.Equal(t, []string{"pronet"}, last[1].Networks)
			for _, p := range append(bound.Inputs, bound.Outputs...) {
				require.NotEmpty(t, p.Description, p.Name)
			}
		})
	}
}

func TestContainersRefuseBodies(t *testing.T) {
	goOn := node.Port{Name: "continue", Type: value.Any()}
	tests := []struct {
		name   string
		typ    string
		config record
		body   *fakeBody
		codes  []string // "" means invalid_config
	}{
		{"foreach without body", "control.foreach", nil, nil, []string{"invalid_body"}},
		{"while without body", "control.while", nil, nil, []string{"invalid_body"}},
		{"sub-workflow without anything", "control.subworkflow", nil, nil, []string{"invalid_body"}},
		{"sub-workflow with both", "control.subworkflow", record{"workflowId": "a"}, &fakeBody{}, []string{"invalid_body"}},
		{"sub-workflow id of another kind", "control.subworkflow", record{"workflowId": 3}, nil, []string{""}},
		{"sub-workflow with empty id", "control.subworkflow", record{"workflowId": ""}, nil, []string{""}},
		{"sub-workflow without a store", "control.subworkflow", record{"workflowId": "a"}, nil, []string{"unknown_workflow"}},
		{
			"foreach inputs clash", "control.foreach", nil,
			&fakeBody{inputs: []node.Port{in("list", "any"), in("concurrency", "any"), in("onItemError", "any"), in("errors", "any")}},
			[]string{"", "", ""},
		},
		{"foreach outputs clash", "control.foreach", nil, &fakeBody{outputs: outs("count", "errors", "$error", "list")}, []string{"", "", ""}},
		{"while clashes", "control.while", nil, &fakeBody{inputs: []node.Port{in("maxIterations", "any")}, outputs: append(outs("iterations", "$error"), goOn)}, []string{"", "", ""}},
		{"sub-workflow clashes", "control.subworkflow", nil, &fakeBody{inputs: []node.Port{in("workflowId", "any")}, outputs: outs("$error")}, []string{"", ""}},
		{"index is no number", "control.foreach", nil, &fakeBody{inputs: []node.Port{in("index", "string")}}, []string{"invalid_body"}},
		{"concurrency too high", "control.foreach", record{"concurrency": 257}, &fakeBody{}, []string{""}},
		{"concurrency zero", "control.foreach", record{"concurrency": 0}, &fakeBody{}, []string{""}},
		{"no continue", "control.while", nil, &fakeBody{outputs: outs("x")}, []string{"invalid_body"}},
		{"continue is text", "control.while", nil, &fakeBody{outputs: []node.Port{{Name: "continue", Type: value.String()}}}, []string{"invalid_body"}},
		{"no iterations", "control.while", record{"maxIterations": 0}, &fakeBody{outputs: []node.Port{goOn}}, []string{""}},
		{
			"output cannot feed input", "control.while", nil,
			&fakeBody{inputs: []node.Port{in("n", "int")}, outputs: []node.Port{{Name: "n", Type: value.String()}, goOn}},
			[]string{"invalid_body"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, problems := bind(t, tt.typ, tt.config, tt.body)
			codes := []string{}
			for _, p := range problems {
				require.NotEmpty(t, p.Message)
				codes = append(codes, p.Code)
			}
			require.Equal(t, tt.codes, codes)
		})
	}
}
