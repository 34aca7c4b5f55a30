package data

import (
	"context"
	"maps"
	"slices"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/reading"
)

// The inputs of the body that are fed per batch.
const (
	rowsInput  = "rows"
	indexInput = "index"
)

type csvEachIn struct {
	csvIn

	Batch int `port:"batch" default:"1000" doc:"How many rows the body gets at once, 1 to 100,000."`
}

type csvEachOut struct {
	Count   int      `port:"count" doc:"How many rows there are."`
	Batches int      `port:"batches" doc:"How often the body ran."`
	Columns []string `port:"columns" doc:"The names of the columns, in order."`
}

const maxBatch = 100_000

func (d disk) csvEachNode() node.Node {
	n := node.Func("data.csv_each", "For each batch of CSV", d.csvEach).Timeout(node.BodyTimeout).
		Aliases("large csv, stream csv, csv loop, batches", "große csv, csv schleife, stapelweise, csv durchlaufen").Doc(
		"Reads CSV of any size and runs its body for one batch of rows after the other, so that only one of them is in memory. The body takes the rows from its " +
			"input `rows`, and the number of the batch, from 0, from `index` if it likes; its other inputs are ports of this node. Each output of the body becomes " +
			"a list with an item for each batch: put out little, such as a count, and write the rest into a file with `data.csv_format` and `append`.\n\n" + csvHelp)
	n = reading.Node(n, "path", "text", "base64")
	n.Spec.Container = true
	n.Spec.Loop = &node.Loop{Item: rowsInput, Index: indexInput}
	n.Spec.Example = eachExample()
	own := n.Bind
	n.Bind = func(b node.Binding) (node.Bound, []node.Problem) {
		if b.Body == nil {
			return node.Bound{}, []node.Problem{{Code: "invalid_body", Message: "there is no body to run", Hint: "put nodes inside this one"}}
		}
		bound, problems := own(b)
		return enclosed(bound, b.Body, problems)
	}
	return n
}

// enclosed combines the ports of a body with those of the node: the body's inputs come after
// the node's, its outputs before.
func enclosed(bound node.Bound, body node.Body, problems []node.Problem) (node.Bound, []node.Problem) {
	inner, nIn := bound.Call, len(bound.Inputs)
	clash := func(side, name string, own []node.Port) {
		if slices.ContainsFunc(own, func(p node.Port) bool { return p.Name == name }) || name == node.ErrorPort {
			problems = append(problems, node.Problem{Port: name, Message: "the body has an " + side + " " + name + ", and so has data.csv_each itself", Hint: "rename it inside the body"})
		}
	}
	inputs, outputs := slices.Clone(bound.Inputs), []node.Port{}
	for _, p := range body.Inputs() {
		if p.Name == rowsInput || p.Name == indexInput {
			continue
		}
		clash("input", p.Name, bound.Inputs)
		if p.Description == "" {
			p.Description = "Input of the body."
		}
		inputs = append(inputs, p)
	}
	for _, p := range body.Outputs() {
		clash("output", p.Name, bound.Outputs)
		outputs = append(outputs, node.Port{Name: p.Name, Type: value.ListOf(p.Type.OrNull()), Description: "Output of the body, for each batch."})
	}
	nOut := len(outputs)
	bound.Inputs, bound.Outputs = inputs, append(outputs, bound.Outputs...)
	bound.Call = func(ctx context.Context, in, out []any) error {
		p := &batches{body: body, shared: map[string]any{}, columns: make([][]any, nOut)}
		for i := nIn; i < len(in); i++ {
			if node.Present(in[i]) {
				p.shared[inputs[i].Name] = in[i]
			}
		}
		if err := inner(context.WithValue(ctx, batchesKey{}, p), in[:nIn], out[nOut:]); err != nil {
			return err
		}
		for i, column := range p.columns {
			if err := value.Bound(column); err != nil {
				return reading.TooMuch("output %q: %w", outputs[i].Name, err)
			}
			if column == nil {
				column = []any{}
			}
			out[i] = column
		}
		return nil
	}
	return bound, problems
}

// batches is the state of one pass over a file. It is passed in the context, since the
// body's ports are not parameters of the node's function.
type batches struct {
	body    node.Body
	shared  map[string]any // the inputs that are the same for every batch
	columns [][]any        // the outputs, by slot and batch
}

type batchesKey struct{}

func (d disk) csvEach(ctx context.Context, in csvEachIn) (out csvEachOut, err error) {
	if in.Batch < 1 || in.Batch > maxBatch {
		return out, reading.Invalid("batch is %d; use a number from 1 to %d", in.Batch, maxBatch)
	}
	r, _, err := in.Stream(ctx, d.Files)
	if err != nil {
		return out, err
	}
	defer r.Close()
	t, err := in.table(ctx, r)
	if err != nil {
		return out, err
	}
	p, _ := ctx.Value(batchesKey{}).(*batches)
	for {
		rows, err := t.batch(ctx, in.Batch)
		if err != nil {
			return out, err
		}
		if len(rows) > 0 {
			if err := p.run(ctx, out.Batches, rows); err != nil {
				return out, located(t.count-len(rows)+1, t.count, err)
			}
			out.Batches++
			node.Progress(ctx, t.count, 0, "")
		}
		if len(rows) < in.Batch {
			return csvEachOut{t.count, out.Batches, t.Columns()}, nil
		}
	}
}

// batch reads up to n rows. The run's memory is reserved for them until the next call.
func (t *csvTable) batch(ctx context.Context, n int) ([]any, error) {
	if err := node.Hold(ctx, -t.held); err != nil {
		return nil, err
	}
	t.held = 0
	return t.rows(ctx, n)
}

func (p *batches) run(ctx context.Context, index int, rows []any) error {
	inputs := maps.Clone(p.shared)
	inputs[rowsInput], inputs[indexInput] = rows, index
	outputs, err := p.body.Run(ctx, index, inputs)
	if err != nil {
		return err
	}
	weight := 0
	for i, port := range p.body.Outputs() {
		v := outputs[port.Name] // null if the body has no such output
		p.columns[i] = append(p.columns[i], v)
		weight += value.Weight(v) + value.ListWeight(1)
	}
	return node.Hold(ctx, weight)
}

// located adds the numbers of the rows for which the body failed to err.
func located(first, last int, err error) error {
	message := node.Errorf(node.CodeOf(err), "rows %d to %d: %w", first, last, err)
	message.Permanent = node.IsPermanent(err)
	return message
}

// eachExample is an example whose body counts the rows of each batch.
func eachExample() *node.Example {
	n := func(id, typ string, x int, config map[string]any) any {
		return map[string]any{"id": id, "type": typ, "config": config, "position": map[string]any{"x": x, "y": 0}}
	}
	return &node.Example{Config: map[string]any{"text": "name,city\nAda,London\nAlan,Manchester\n", "batch": 1}, Body: map[string]any{
		"nodes": []any{
			n("rows", "io.input", 0, map[string]any{"name": rowsInput, "type": "list<record>", "default": []any{}}),
			n("first", "listops.get", 320, map[string]any{"index": 0}),
			n("out", "io.output", 640, map[string]any{"name": "first"}),
		},
		"connections": []any{
			map[string]any{"fromNodeId": "rows", "fromPort": "value", "toNodeId": "first", "toPort": "list"},
			map[string]any{"fromNodeId": "first", "fromPort": "item", "toNodeId": "out", "toPort": "value"},
		},
	}}
}
