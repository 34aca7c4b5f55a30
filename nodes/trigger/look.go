package trigger

import (
	"context"
	"time"

	"github.com/svcflow/svc/engine/expr"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/zone"
)

func pollNode(zones *zone.Table) node.Node {
	text := func(name, description string) node.Port {
		return setting(node.Port{Name: name, Type: value.String(), Description: description})
	}
	maybe := func(p node.Port) node.Port {
		p.Optional = true
		return p
	}
	by := text("by", "What tells items apart: an expression for each item, such as item.id.")
	by.Widget, by.Script = "expression", expr.OverItems("")
	return node.Node{
		Spec: node.Spec{
			Type: "trigger.poll", Label: "Look for new items", Role: node.RoleTrigger, Inline: true,
			Aliases: node.Words("poll, new items, watch an api, changes, new rows", "neue einträge, abfragen, schnittstelle beobachten, neue zeilen"),
			Example: &node.Example{Config: map[string]any{"workflowId": "orders", "output": "orders", "by": "item.id", "every": "5m"}},
			Description: "Runs a stored workflow from time to time, and starts this one with those items of a list that it gives which are new, once it is active.\n\n" +
				"Example: with `workflowId` = `open-orders`, `output` = `orders`, `by` = `item.id` and `every` = `5m`, the workflow `open-orders` asks a shop " +
				"each five minutes; a new order is one of `items`.\n\n" +
				"The other workflow takes no place of a run, gets no inputs, and is recorded only when it fails; then the next look is as usual. It has ten minutes.",
			Inputs: []node.Port{
				text("workflowId", "The stored workflow that is run to look."),
				text("output", "The output of it that has the list."), by,
				maybe(text("every", "How long after a look the next one is, at least a second: `30s`, `15m`. Give this or `cron`.")),
				maybe(text("cron", "When to look, as in `trigger.schedule`.")),
				setting(node.Port{Name: "timezone", Type: value.String(), Default: "UTC", Description: "The zone of `cron`, such as Europe/Berlin."}),
				setting(node.Port{Name: "first", Type: value.EnumOf("skip", "all"), Default: "skip", Description: "Whether what is there at the first look is new."}),
			},
			Outputs: []node.Port{
				{Name: "items", Type: value.ListOf(value.Any()), Description: "The new items, in the order of the list."},
				{Name: "count", Type: value.Int(), Description: "How many there are."},
			},
		},
		Bind: func(b node.Binding) (node.Bound, []node.Problem) { return bindPoll(b, zones) },
	}
}

func bindPoll(b node.Binding, zones *zone.Table) (node.Bound, []node.Problem) {
	p := &poller{}
	p.workflow, _ = b.Config["workflowId"].(string)
	p.output, _ = b.Config["output"].(string)
	p.all = b.Config["first"] == "all"
	var problems []node.Problem
	p.by, problems = expr.Compile(b.Config, "by")
	r := &scheduleReader{config: b.Config, zone: time.UTC}
	if at, err := zones.Find(r.text("timezone")); err != nil {
		r.invalid("timezone", "%v", err)
	} else {
		r.zone = at
	}
	s := r.read()
	problems = append(problems, r.problems...)
	problems = append(problems, p.check(b)...)
	source := node.Poll{Every: s.every, Look: p.look}
	if s.calendar != nil {
		source.Next = s.next
	}
	return node.Bound{
		Inputs: b.Spec.Inputs, Outputs: b.Spec.Outputs, Source: source,
		Sample: func(time.Time) map[string]any { return map[string]any{"items": []any{}, "count": 0} },
	}, problems
}

// poller polls by running a stored workflow.
type poller struct {
	workflow, output string
	by               *expr.Expression
	all              bool // whether items at the first poll are new
}

// check validates the settings against the workflow that they name, if it is accessible.
func (p *poller) check(b node.Binding) []node.Problem {
	if b.Workflow == nil {
		return nil
	}
	other, problems := b.Workflow(p.workflow)
	if len(problems) > 0 || other == nil {
		return problems
	}
	for _, port := range other.Outputs() {
		if port.Name != p.output {
			continue
		}
		if kind := port.Type.Kind(); kind != value.KindList && kind != value.KindAny {
			problems = append(problems, node.Invalid("output", "the output %q of the workflow is no list", p.output))
		}
		return problems
	}
	return append(problems, node.Invalid("output", "the workflow %q has no output %q", p.workflow, p.output))
}

// mostItems is how many items a list may have.
const mostItems = 100_000

// look implements [node.Poll].
func (p *poller) look(ctx context.Context, memory []byte) ([]node.Firing, []byte, error) {
	runs := node.RunsOf(ctx)
	if runs == nil {
		return nil, nil, node.Errorf(node.CodeUnavailable, "there are no stored workflows here")
	}
	outputs, err := runs.RunStored(ctx, p.workflow)
	if err != nil {
		return nil, nil, err
	}
	list, ok := outputs[p.output].([]any)
	switch {
	case !ok && outputs[p.output] != nil:
		return nil, nil, node.Errorf(node.CodeTypeError, "the output %q of the workflow %q is no list", p.output, p.workflow)
	case len(list) > mostItems:
		return nil, nil, node.Errorf(node.CodeLimitExceeded, "the list has %d items; it may have %d", len(list), mostItems)
	}
	k, first := recall(memory, "poll "+nameFor(p.workflow, p.output))
	names, started := make([]string, len(list)), p.by.Start(ctx, nil)
	for i, item := range list {
		v, err := started.Key(i, item)
		if err != nil {
			return nil, nil, err
		}
		names[i] = nameFor(string(value.Append(nil, v)))
	}
	items, told := []any{}, []string{}
	for i, isNew := range k.meet(names) {
		if isNew {
			items, told = append(items, list[i]), append(told, names[i])
		}
	}
	if first && !p.all || len(items) == 0 {
		return nil, k.text(), nil
	}
	return []node.Firing{{Key: nameFor(told...), Outputs: map[string]any{"items": items, "count": len(items)}}}, k.text(), nil
}
