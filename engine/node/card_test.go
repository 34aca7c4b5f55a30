package node_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
)

func TestIcons(t *testing.T) {
	register := func(icon string) error {
		run := func(context.Context, struct{}) (struct{}, error) { return struct{}{}, nil }
		_, err := node.NewRegistry(node.Bundle{Card: node.Card{Shape: "card", Icon: icon}, Nodes: []node.Node{node.Func("my.node", "My", run)}})
		return err
	}
	for _, icon := range []string{
		"mail", "", `<svg viewBox="0 0 24 24"><g fill="none" stroke="#ffffff"><circle cx="1" cy="1" r="1"/></g></svg>`,
	} {
		require.NoError(t, register(icon), icon)
	}
	for icon, want := range map[string]string{
		"../mail":                                                  "give the name of a drawing",
		`<svg></svg>`:                                              "holds no shape",
		`<svg><path d="M0 0"/>`:                                    "syntax error",
		`<svg><script>alert(1)</script></svg>`:                     "<script> may not be part",
		`<svg><image href="http://a/b"/></svg>`:                    "<image> may not be part",
		`<svg><path onclick="x" d=""/></svg>`:                      `may not have the attribute "onclick"`,
		`<svg><path fill="url(#a)" d=""/></svg>`:                   "a drawing has the colour #ffffff, or none",
		`<svg><!DOCTYPE x><path d=""/></svg>`:                      "elements only",
		`<svg><path d="` + strings.Repeat("M", 5000) + `"/></svg>`: "the limit is 4096",
	} {
		require.ErrorContains(t, register(icon), want)
	}
}

func TestChoicesAreDeclaredAndTold(t *testing.T) {
	type in struct {
		Shelf string `port:"shelf,choices" doc:"The shelf."`
	}
	choose := func(context.Context, string, map[string]any) ([]node.Choice, error) { return nil, nil }
	run := func(context.Context, in) (struct{}, error) { return struct{}{}, nil }
	plain := func(context.Context, struct{}) (struct{}, error) { return struct{}{}, nil }
	_, err := node.NewRegistry(node.Bundle{Nodes: []node.Node{node.Func("my.a", "A", run), node.Func("my.b", "B", plain).Choices(choose)}})
	require.ErrorContains(t, err, "an input has choices, and nothing tells them")
	require.ErrorContains(t, err, "there are choices, and no input for them")
}
