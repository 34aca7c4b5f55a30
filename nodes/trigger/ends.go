package trigger

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

const errorType = "trigger.error"

func errorNode() node.Node {
	texts := value.ListOf(value.String())
	failure := value.RecordOf(value.Field{Name: "code", Type: value.String()}, value.Field{Name: "message", Type: value.String()}, value.Field{Name: "nodeId", Type: value.String()})
	return node.Node{
		Spec: node.Spec{
			Type: errorType, Label: "When a run fails", Role: node.RoleTrigger, Inline: true,
			Aliases: node.Words("failure, alert, error workflow, on error, catch", "fehler, alarm, warnung, fehlschlag"),
			Example: &node.Example{Config: map[string]any{"codes": []any{"timeout", "unavailable"}}},
			Description: "Starts the workflow when a run of another one has failed, once it is active.\n\n" +
				"Example: with `workflowIds` = `[\"orders\"]` it fires when a run of the workflow `orders` fails, and `error.message` says why.\n\n" +
				"All runs count that are recorded, also those that somebody waits for; not those of `svc run`. A run that this trigger has started never sets one " +
				"off, so an alert that fails does not start itself. Runs that a restart has interrupted count only if `codes` names `interrupted`: most go on by themselves.",
			Inputs: []node.Port{
				setting(node.Port{Name: "workflowIds", Type: texts, Optional: true, Description: "The workflows whose runs count; none are all of them."}),
				setting(node.Port{Name: "codes", Type: texts, Optional: true, Description: "The codes that count, such as timeout; none are all of them."}),
			},
			Outputs: []node.Port{
				{Name: "runId", Type: value.String(), Description: "The run that has failed."},
				{Name: "workflowId", Type: value.String(), Description: "Its workflow."},
				{Name: "error", Type: failure, Description: "Why it has failed: code, message, and the node if it was one."},
				{Name: "inputs", Type: value.RecordOf(), Description: "What it was given."},
			},
		},
		Bind: func(b node.Binding) (node.Bound, []node.Problem) {
			workflows, codes := textsOfPort(b, "workflowIds"), textsOfPort(b, "codes")
			e := &ends{
				matches: func(r *node.Ended) bool {
					return r.Code != "" && r.StartedBy != errorType && (len(workflows) == 0 || slices.Contains(workflows, r.WorkflowID)) &&
						(slices.Contains(codes, r.Code) || len(codes) == 0 && r.Code != node.CodeInterrupted)
				},
				outputs: func(r *node.Ended, inputs, _ map[string]any) map[string]any {
					return map[string]any{
						"runId": r.RunID, "workflowId": r.WorkflowID, "inputs": inputs,
						"error": map[string]any{"code": r.Code, "message": r.Message, "nodeId": r.NodeID},
					}
				},
			}
			sample := &node.Ended{Code: node.CodeFailed}
			return node.Bound{
				Inputs: b.Spec.Inputs, Outputs: b.Spec.Outputs, Source: node.Watch{Run: e.run},
				Sample: func(time.Time) map[string]any { return e.outputs(sample, map[string]any{}, nil) },
			}, nil
		},
	}
}

func finishedNode() node.Node {
	return node.Node{
		Spec: node.Spec{
			Type: "trigger.finished", Label: "When a run completes", Role: node.RoleTrigger, Inline: true,
			Aliases: node.Words("after, chain, success, then, follow up", "danach, kette, erfolg, anschließend"),
			Example: &node.Example{Config: map[string]any{"workflowId": "orders"}},
			Description: "Starts the workflow when a run of another one has completed, once it is active.\n\n" +
				"Example: with `workflowId` = `orders` it fires after each run of the workflow `orders`, with its outputs.\n\n" +
				"All runs count that are recorded, also those that somebody waits for; not those of `svc run`. Workflows that start each other in a row end after 16 runs.",
			Inputs: []node.Port{setting(node.Port{Name: "workflowId", Type: value.String(), Description: "The workflow whose runs count."})},
			Outputs: []node.Port{
				{Name: "runId", Type: value.String(), Description: "The run that has completed."},
				{Name: "outputs", Type: value.RecordOf(), Description: "What it has given."},
			},
		},
		Bind: func(b node.Binding) (node.Bound, []node.Problem) {
			workflow, _ := b.Config["workflowId"].(string)
			e := &ends{
				matches: func(r *node.Ended) bool { return r.Completed && r.WorkflowID == workflow },
				outputs: func(r *node.Ended, _, outputs map[string]any) map[string]any {
					return map[string]any{"runId": r.RunID, "outputs": outputs}
				},
			}
			return node.Bound{
				Inputs: b.Spec.Inputs, Outputs: b.Spec.Outputs, Source: node.Watch{Run: e.run},
				Sample: func(time.Time) map[string]any { return e.outputs(&node.Ended{}, nil, map[string]any{}) },
			}, nil
		},
	}
}

func textsOfPort(b node.Binding, port string) (texts []string) {
	list, _ := b.Config[port].([]any)
	for _, v := range list {
		if text, ok := v.(string); ok {
			texts = append(texts, text)
		}
	}
	return texts
}

// ends watches for runs that end.
type ends struct {
	matches func(r *node.Ended) bool
	outputs func(r *node.Ended, inputs, outputs map[string]any) map[string]any
}

// place is the position that the trigger remembers: all ends before it are handled.
type place struct {
	Of    string `json:"of"`
	Place string `json:"place"`
}

// keepPlace is how often the place is stored while nothing fires.
const keepPlace = time.Minute

// run implements [node.Watch].
func (e *ends) run(ctx context.Context, since time.Time, memory []byte, fire func([]node.Firing, []byte) error) error {
	runs := node.RunsOf(ctx)
	if runs == nil {
		return node.Errorf(node.CodeUnavailable, "there are no runs here")
	}
	at := place{Of: "ends"}
	var before place
	if json.Unmarshal(memory, &before) == nil && before.Of == at.Of {
		at.Place = before.Place
	}
	var kept time.Time
	for {
		ended, next, err := runs.Ended(ctx, since, at.Place)
		if err != nil {
			return err
		}
		firings, err := e.firings(ctx, runs, ended)
		if err != nil {
			return err
		}
		if at.Place = next; len(firings) == 0 && time.Since(kept) < keepPlace {
			continue
		}
		text, _ := json.Marshal(at) // it consists of texts only
		if err := each(firings, text, fire); err != nil {
			return err
		}
		kept = time.Now()
	}
}

// firings returns the firings for runs that have ended.
func (e *ends) firings(ctx context.Context, runs node.Runs, ended []node.Ended) (firings []node.Firing, err error) {
	for i := range ended {
		r := &ended[i]
		if !e.matches(r) {
			continue
		}
		inputs, outputs, err := runs.Told(ctx, r.RunID)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil { // the run is not stored any more
			inputs, outputs = map[string]any{}, map[string]any{}
		}
		firings = append(firings, node.Firing{Key: r.RunID, Cause: r.RunID, Outputs: e.outputs(r, inputs, outputs)})
	}
	return firings, nil
}

// each fires all firings at once. If some are refused, it fires them one by one, so that
// the others are not held up. A firing that exceeds the longest chain of runs is refused.
func each(firings []node.Firing, memory []byte, fire func([]node.Firing, []byte) error) error {
	err := fire(firings, memory)
	if err == nil || node.CodeOf(err) != node.CodeLimitExceeded {
		return err
	}
	for i := range firings {
		if err := fire(firings[i:i+1], nil); err != nil && node.CodeOf(err) != node.CodeLimitExceeded {
			return err
		}
	}
	return fire(nil, memory)
}
