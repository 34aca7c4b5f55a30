package engine_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

type chooseIn struct {
	Account value.Credential `port:"account" network:"shop" doc:"The account."`
	Shelf   string           `port:"shelf,choices" doc:"The shelf."`
}

func choosers(t *testing.T, choose node.Chooser) *node.Registry {
	run := func(context.Context, chooseIn) (struct{}, error) { return struct{}{}, nil }
	registry, err := node.NewRegistry(node.Bundle{Nodes: []node.Node{
		node.Func("shop.list", "List", run).Doc("Lists `shelves`.").Choices(choose),
	}})
	require.NoError(t, err)
	return registry
}

func TestChoices(t *testing.T) {
	var config map[string]any
	registry := choosers(t, func(ctx context.Context, port string, c map[string]any) ([]node.Choice, error) {
		config = c
		require.Equal(t, "shelf", port)
		node.Conceal(ctx, "hunter2hunter2")
		return []node.Choice{{Value: "a", Label: "A"}, {Value: "b", Label: "hunter2hunter2"}}, nil
	})
	got, err := engine.Choices(t.Context(), registry, "shop.list", "shelf", map[string]any{"account": "shop:main", "shelf": 3, "other": 1})
	require.NoError(t, err)
	require.Equal(t, []node.Choice{{Value: "a", Label: "A"}, {Value: "b", Label: "[redacted]"}}, got)
	require.Equal(t, map[string]any{"account": value.Credential("shop:main")}, config, "what does not fit is not there")

	_, err = engine.Choices(t.Context(), registry, "shop.list", "shelf", map[string]any{"account": "bank:main"})
	require.NoError(t, err)
	require.Empty(t, config, "an account of another network is not handed on")

	for _, ask := range [][2]string{{"shop.list", "account"}, {"shop.list", "none"}, {"shop.none", "shelf"}} {
		_, err = engine.Choices(t.Context(), registry, ask[0], ask[1], nil)
		require.ErrorIs(t, err, engine.ErrNoChoices)
	}
}

func TestChoicesThatFail(t *testing.T) {
	for want, choose := range map[string]node.Chooser{
		"[redacted] is wrong": func(ctx context.Context, _ string, _ map[string]any) ([]node.Choice, error) {
			node.Conceal(ctx, "hunter2hunter2")
			return nil, node.Errorf(node.CodeUnavailable, "hunter2hunter2 is wrong")
		},
		"the node type panicked: oh": func(context.Context, string, map[string]any) ([]node.Choice, error) { panic("oh") },
		`choice 0 of input "shelf"`: func(context.Context, string, map[string]any) ([]node.Choice, error) {
			return []node.Choice{{Value: struct{}{}}}, nil
		},
	} {
		_, err := engine.Choices(t.Context(), choosers(t, choose), "shop.list", "shelf", nil)
		require.ErrorContains(t, err, want)
	}
}
