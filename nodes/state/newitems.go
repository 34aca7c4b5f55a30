package state

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"strconv"
	"strings"

	"github.com/svcflow/svc/engine/expr"
	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

type newItemsIn struct {
	List    []any  `port:"list" doc:"All items that there are now."`
	By      string `port:"by,literal" widget:"expression" doc:"What tells items apart: an expression for each item, such as item.id."`
	Missing string `port:"missing" enum:"fail|pass" default:"fail" doc:"What to do with an item for which by gives null: fail, or pass it on as new in every run."`
	Key     string `port:"key" default:"" doc:"The name under which is kept what was seen; without it, that of the node. A shared one has to have a name."`
	Scope   string `port:"scope" enum:"workflow|shared" default:"workflow" doc:"Where items count as seen: in this workflow, or in all workflows that share the key."`
	Keep    int    `port:"keep" default:"10000" doc:"How many items are remembered, up to 100,000. Those that are still in the list are remembered in any case."`
	Mark    string `port:"mark" enum:"completed|now" default:"completed" doc:"When the new items count as seen: when the run completes, or at once."`
}

type newItemsOut struct {
	New  []any `port:"new" doc:"The items that are new, in order."`
	Seen int   `port:"seen" doc:"How many of the others there are."`
}

func newItemsNode() node.Node {
	return node.FuncFor("state.new_items", "New items", bindNewItems).Script("by", expr.OverItems("list")).
		Aliases("only new, dedupe, seen before, remember items, new entries, difference since last run", "nur neue, schon gesehen, neue einträge, seit dem letzten lauf").
		Example(map[string]any{"by": "item.id", "list": []any{map[string]any{"id": 1}, map[string]any{"id": 2}}}).Doc(
		"Gives the items of a list that no earlier run has seen.\n\n" +
			"With by = `item.id` it makes of `[{\"id\":1},{\"id\":2}]` the same in the first run, and `[]` in the next; of `[{\"id\":2},{\"id\":3}]` then `[{\"id\":3}]`. " +
			"Of items that are alike the first is new. An item for which by gives null fails the node, or is new in every run with missing = `pass`.\n\n" +
			"With mark = `completed` they count as seen when the run completes. Until then they are lent to the run and to those that go on with it: others do " +
			"not get them. A run that ends otherwise gives them back, so the next one gets them again. One that was interrupted keeps them for a day, to be resumed. " +
			"With mark = `now` they are seen at once, whatever becomes of the run.\n\n" + scopeHelp)
}

func bindNewItems(b node.Binding) (func(context.Context, newItemsIn) (newItemsOut, error), []node.Problem) {
	by, problems := expr.Compile(b.Config, "by")
	key, _ := b.Config["key"].(string)
	if b.Config["scope"] == sharedScope && key == "" && !b.Wired("key") {
		problems = append(problems, node.Invalid("key", "items that all workflows have seen need a name that all of them use"))
	}
	if keep, ok := b.Config["keep"].(int); ok && (keep < 1 || keep > limit.SeenItems) {
		problems = append(problems, node.Invalid("keep", "keep is a number from 1 to %d", limit.SeenItems))
	}
	return func(ctx context.Context, in newItemsIn) (newItemsOut, error) { return newItems(ctx, by, in) }, problems
}

func newItems(ctx context.Context, by *expr.Expression, in newItemsIn) (newItemsOut, error) {
	s, err := of(ctx)
	if err != nil {
		return newItemsOut{}, err
	}
	if len(in.List) > limit.SeenItems || in.Keep > limit.SeenItems || in.Keep < 1 {
		return newItemsOut{}, node.Permanent(node.Errorf(node.CodeLimitExceeded, "a list may have %d items here, and keep be from 1 to as many", limit.SeenItems))
	}
	items, without, err := identities(ctx, by, in)
	if err != nil {
		return newItemsOut{}, err
	}
	at := node.StateKey{Shared: in.Scope == sharedScope, Key: in.Key}
	if at.Key == "" {
		at.Key = "node " + nameOf(node.Key(ctx))
	}
	isNew, err := s.News(ctx, at, items, in.Keep, in.Mark == "now")
	if err != nil {
		return newItemsOut{}, err
	}
	out := newItemsOut{New: []any{}}
	for i, next := 0, 0; i < len(in.List); i++ {
		if without[i] {
			out.New = append(out.New, in.List[i])
			continue
		}
		if isNew[next] {
			out.New = append(out.New, in.List[i])
		}
		next++
	}
	out.Seen = len(in.List) - len(out.New)
	if in.Mark != "now" && len(out.New) > 0 {
		node.AtEnd(ctx, s.Settle)
	}
	return out, nil
}

// identities returns a short hash for each item that has a value for by, and which items
// have none. Items for which by gives the same value have the same hash.
func identities(ctx context.Context, by *expr.Expression, in newItemsIn) (items []string, without map[int]bool, err error) {
	const room = 64 // bytes of a hash, with the store's overhead
	if err := node.Hold(ctx, len(in.List)*room); err != nil {
		return nil, nil, err
	}
	started := by.Start(ctx, nil)
	items, without = make([]string, 0, len(in.List)), map[int]bool{}
	var text []byte
	for i, item := range in.List {
		v, err := started.Key(i, item)
		if err != nil {
			return nil, nil, err
		}
		if v == nil {
			if in.Missing != "pass" {
				return nil, nil, node.Permanent(node.Errorf(node.CodeInvalidInput,
					"by gives null for item %d, so it cannot be told whether it is new; correct by, or set missing to pass", i))
			}
			without[i] = true
			continue
		}
		text = value.Append(text[:0], expr.Plain(v))
		sum := sha256.Sum256(text)
		items = append(items, base64.RawURLEncoding.EncodeToString(sum[:12]))
	}
	return items, without, nil
}

// nameOf returns the path of a node in its workflow, given its key in a run. It drops the
// run's id and the iterations of loops.
func nameOf(key string) string {
	_, path, _ := strings.Cut(key, "/")
	var name []string
	for part := range strings.SplitSeq(path, "/") {
		if _, err := strconv.Atoi(part); err != nil || len(name) == 0 {
			name = append(name, part)
		}
	}
	return strings.Join(name, "/")
}
