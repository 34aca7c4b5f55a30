package complete_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/ui/complete"
)

// order is a value as a shop gives it.
const order = `{"items":[{"name":"tea","price":3},{"name":"cup","size":{"w":8,"h":9}}],"customer":{"first name":"Ada","city":"London"},"total":3}`

func scope(t testing.TB, language node.Language) complete.Scope {
	t.Helper()
	v, err := value.Decode([]byte(order))
	require.NoError(t, err)
	typ, err := value.ParseType("record{page:int,user:record{login:string}}")
	require.NoError(t, err)
	seen, vars := complete.FromValue(value.Any(), v), complete.FromType(typ)
	names := map[string]complete.Known{"item": seen, "index": complete.FromType(value.Int()), "vars": vars}
	switch language {
	case node.LanguageJQ:
		names = map[string]complete.Known{".": seen, "$vars": vars}
	case node.LanguageJSONPath:
		names = map[string]complete.Known{"$": seen}
	case node.LanguageExpr, node.LanguageTemplate:
	}
	return complete.Scope{Language: language, Names: names}
}

// proposed returns what is proposed at the bar in a text, and what the text is with the
// first of it.
func proposed(s complete.Scope, text string) (all []string, first string) {
	before, after, _ := strings.Cut(text, "¦")
	from, found := s.At(before+after, len(before))
	for _, p := range found {
		all = append(all, p.Text)
	}
	if len(all) > 0 {
		first = before[:from] + all[0] + after
	}
	return all, first
}

func TestNamesAreProposed(t *testing.T) {
	for _, tt := range []struct {
		language node.Language
		text     string
		want     []string
		first    string
	}{
		{node.LanguageExpr, "it¦", []string{"item"}, "item"},
		{node.LanguageExpr, "item.¦", []string{"customer", "items", "total"}, "item.customer"},
		{node.LanguageExpr, "item.to¦ > 2", []string{"total"}, "item.total > 2"},
		{node.LanguageExpr, "item.items[0].¦", []string{"name", "price", "size"}, "item.items[0].name"},
		{node.LanguageExpr, "1 + item.customer?.ci¦", []string{"city"}, "1 + item.customer?.city"},
		{node.LanguageExpr, "item.customer.¦", []string{".city", `["first name"]`}, "item.customer.city"},
		{node.LanguageExpr, "vars.us¦", []string{"user"}, "vars.user"},
		{node.LanguageExpr, "vars.user.¦", []string{"login"}, "vars.user.login"},
		{node.LanguageExpr, "upp¦", []string{"upper("}, "upper("},
		{node.LanguageExpr, "other.¦", nil, ""},
		{node.LanguageExpr, `"item.¦`, nil, ""},
		{node.LanguageExpr, "item.total¦", nil, ""},
		{node.LanguageExpr, "¦", nil, ""},
		{node.LanguageJQ, ".¦", []string{"customer", "items", "total"}, ".customer"},
		{node.LanguageJQ, ".items[].pr¦", []string{"price"}, ".items[].price"},
		{node.LanguageJQ, ".items[0].size.¦", []string{"h", "w"}, ".items[0].size.h"},
		{node.LanguageJQ, ".items[1] | .si¦", []string{"size"}, ".items[1] | .size"},
		{node.LanguageJQ, ".items | map(.¦)", []string{"name", "price", "size"}, ".items | map(.name)"},
		{node.LanguageJQ, ".items[] | select(.pri¦ > 2)", []string{"price"}, ".items[] | select(.price > 2)"},
		{node.LanguageJQ, ".items[] | select(.price > 2) | .na¦", []string{"name"}, ".items[] | select(.price > 2) | .name"},
		{node.LanguageJQ, ".items | sort_by(.price) | map(.na¦)", []string{"name"}, ".items | sort_by(.price) | map(.name)"},
		{node.LanguageJQ, "[.items[] | {n: .na¦", []string{"name"}, "[.items[] | {n: .name"},
		{node.LanguageJQ, "[to_entries[] | .va¦", nil, ""},
		{node.LanguageJQ, "limit(2; .items[]) | .siz¦", []string{"size"}, "limit(2; .items[]) | .size"},
		{node.LanguageJQ, ".customer.fi¦", []string{`"first name"`}, `.customer."first name"`},
		{node.LanguageJQ, "$vars.p¦", []string{"page"}, "$vars.page"},
		{node.LanguageJQ, "sel¦", []string{"select("}, "select("},
		{node.LanguageJSONPath, "$.¦", []string{"customer", "items", "total"}, "$.customer"},
		{node.LanguageJSONPath, "$.items[*].n¦", []string{"name"}, "$.items[*].name"},
		{node.LanguageJSONPath, "$.items[?@.pr¦", []string{"price"}, "$.items[?@.price"},
		{node.LanguageJSONPath, "$..pri¦", []string{"price"}, "$..price"},
		{node.LanguageJSONPath, "$.customer.fi¦", []string{`["first name"]`}, `$.customer["first name"]`},
		{node.LanguageTemplate, "Hello, {¦", []string{"index", "item", "vars"}, "Hello, {index"},
		{node.LanguageTemplate, "Hello, {item.customer.¦}", []string{"city"}, "Hello, {item.customer.city}"},
		{node.LanguageTemplate, "Hello, {{it¦", nil, ""},
		{node.LanguageTemplate, "{item} it¦", nil, ""},
	} {
		all, first := proposed(scope(t, tt.language), tt.text)
		require.Equal(t, tt.want, all, "%s %s", tt.language, tt.text)
		require.Equal(t, tt.first, first, "%s %s", tt.language, tt.text)
	}
}

func TestProposalsForAnEmptyText(t *testing.T) {
	begin := func(l node.Language) (all []string) {
		for _, p := range scope(t, l).Begin() {
			all = append(all, p.Text)
		}
		return all
	}
	require.Equal(t, []string{"index", "item", "vars"}, begin(node.LanguageExpr))
	require.Equal(t, []string{"$vars", ".customer", ".items", ".total"}, begin(node.LanguageJQ))
	require.Equal(t, []string{"$.customer", "$.items", "$.total"}, begin(node.LanguageJSONPath))
}

func TestProposalsHaveADescription(t *testing.T) {
	_, all := scope(t, node.LanguageExpr).At("item.", 5)
	require.Equal(t, complete.Proposal{Text: "items", About: "list"}, all[1])
	_, all = scope(t, node.LanguageExpr).At("vars.", 5)
	require.Equal(t, complete.Proposal{Text: "page", About: "int"}, all[0])
}

// FuzzAt looks for a text that brings the program down, or proposals that are not for its
// end.
func FuzzAt(f *testing.F) {
	for _, text := range []string{"item.a[0].", `.items[] | map(.x[".`, "$.a[?@.b[", "{item.", `."a`, "]]]", "?.?", "..", "$$", "[?@."} {
		f.Add(text, 99)
	}
	languages := []node.Language{node.LanguageExpr, node.LanguageJQ, node.LanguageJSONPath, node.LanguageTemplate}
	f.Fuzz(func(t *testing.T, text string, caret int) {
		for _, l := range languages {
			from, all := scope(t, l).At(text, caret)
			require.True(t, from >= 0 && from <= len(text), "%d", from)
			require.LessOrEqual(t, len(all), complete.Most)
			require.False(t, slices.ContainsFunc(all, func(p complete.Proposal) bool { return p.Text == "" }))
		}
	})
}

func TestPaths(t *testing.T) {
	steps := []any{"items", 0, "first name", "x"}
	for _, tt := range []struct {
		language node.Language
		root     string
		steps    []any
		want     string
	}{
		{node.LanguageExpr, "item", steps, `item.items[0]["first name"].x`},
		{node.LanguageJQ, ".", steps, `.items[0]."first name".x`},
		{node.LanguageJQ, ".", []any{2, "a"}, `.[2].a`},
		{node.LanguageJQ, ".", nil, `.`},
		{node.LanguageJQ, "$vars", []any{"a"}, `$vars.a`},
		{node.LanguageJSONPath, "$", steps, `$.items[0]["first name"].x`},
		{node.LanguageTemplate, "user", []any{"name"}, `user.name`},
		{node.LanguageTemplate, "user", []any{0}, ``},
	} {
		got, ok := complete.Path(tt.language, tt.root, tt.steps)
		require.Equal(t, tt.want, got)
		require.Equal(t, tt.want != "", ok)
	}
}
