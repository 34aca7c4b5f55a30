package text_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/nodetest"
	"github.com/svcflow/svc/nodes/text"
)

func TestFormat(t *testing.T) {
	h := nodetest.New(t, text.Plugin())
	for _, tt := range []struct {
		config, wired record
		want          string
	}{
		{record{"template": "no placeholder"}, nil, "no placeholder"},
		{record{"template": ""}, nil, ""},
		{record{"template": "Hello, {name}!"}, record{"name": "Ada"}, "Hello, Ada!"},
		{record{"template": "Hello, {name}!", "name": "Bob"}, nil, "Hello, Bob!"},
		{record{"template": "{a}{b}{a}"}, record{"a": 1, "b": nil}, "11"},
		{record{"template": "{{{a}}} {{}}"}, record{"a": []any{1, "x"}}, `{[1,"x"]} {}`},
		{record{"template": "}}{{"}, nil, "}{"},
		{record{"template": "{a} {b}", "values": record{"a": 1, "b": 2}}, nil, "1 2"},
		{record{"template": "{a} {b}", "values": record{"a": 1, "b": 2}, "b": 3}, record{"a": 4}, "4 3"},
		{record{"template": "{a}"}, record{"values": record{"a": "late"}}, "late"},
		{record{"template": "{a}"}, record{"values": record{"a": nil}}, ""},
		{record{"template": "{user.name} {user.at.city}"}, record{"user": record{"name": "Ada", "at": record{"city": "Bern"}}}, "Ada Bern"},
		{record{"template": "{user.name}, {user}"}, record{"user": record{"name": 1}}, `1, {"name":1}`},
		{record{"template": "<{user.name}>", "values": record{"user": record{"name": "Bob"}}}, nil, "<Bob>"},
		{record{"template": "<{user.name}{user.at.city}>"}, record{"user": record{"name": nil, "at": nil}}, "<>"},
		{record{"template": "{_x9}→"}, record{"_x9": true}, "true→"},
	} {
		out, err := h.Exec("text.format", tt.config, tt.wired)
		require.NoError(t, err, "%v", tt.config)
		require.Equal(t, tt.want, out["result"])
	}
}

func TestFormatProblems(t *testing.T) {
	h := nodetest.New(t, text.Plugin())
	for template, message := range map[string]string{
		"{":          "character 1: a { without a }",
		"é {a":       "character 3: a { without a }",
		"a }":        "character 3: a } without a {",
		"{}":         "character 1: between { and }",
		"{1a}":       "digits",
		"{a b}":      "no digit first",
		"{{{":        "character 3",
		"x{{}":       "character 4: a } without",
		"{é}":        "character 1",
		"{a{b}}":     "character 1",
		"{template}": "input of the node itself",
		"{values}":   "input of the node itself",
		"{values.a}": "input of the node itself",
		"{a.}":       "as in {user.name}",
		"{.a}":       "as in {user.name}",
		"{a..b}":     "as in {user.name}",
		"{a.0}":      "as in {user.name}",
	} {
		problems := h.Problems("text.format", record{"template": template})
		require.Len(t, problems, 1, template)
		require.Equal(t, "template", problems[0].Port)
		require.Empty(t, problems[0].Code)
		require.Contains(t, problems[0].Message, message)
	}
}

func TestFormatPlaceholderWithoutValue(t *testing.T) {
	h := nodetest.New(t, text.Plugin())
	problems := h.Problems("text.format", record{"template": "{a}{b}{c}", "b": 1}, "c")
	require.Len(t, problems, 1)
	require.Equal(t, "missing_required_input", problems[0].Code)
	require.Equal(t, "a", problems[0].Port)

	require.Len(t, h.Problems("text.format", record{"template": "{a}{b}", "values": record{"b": 1}}), 1, "values is known, and has no a")
	require.Empty(t, h.Problems("text.format", record{"template": "{a}"}, "values"), "values may bring it")
	_, err := h.Exec("text.format", record{"template": "{a}"}, record{"values": record{"b": 1}})
	require.Equal(t, node.CodeInvalidInput, node.CodeOf(err))
	require.ErrorContains(t, err, "{a}")

	_, err = h.Exec("text.format", record{"template": "x"}, record{"b": 1})
	require.Equal(t, "missing_input_port", node.CodeOf(err))
	require.Equal(t, "missing_required_input", h.Problems("text.format", nil)[0].Code)
	require.NotEmpty(t, h.Problems("text.format", record{"template": 1}))
	require.NotEmpty(t, h.Problems("text.format", record{"template": "x"}, "template"), "the template is literal")
}

// FuzzTemplate compares the parser with a model that uses one regular expression.
func FuzzTemplate(f *testing.F) {
	for _, seed := range []string{"", "{a}", "{{a}}", "{", "}", "{{{a}}}", "é{b}{a}", "{a", "a}}", "{}", "{a}{a}", "{_1}x{{"} {
		f.Add(seed)
	}
	token := regexp.MustCompile(`\{\{|\}\}|\{[A-Za-z_][A-Za-z0-9_]*\}|[^{}]+`)
	f.Fuzz(func(t *testing.T, template string) {
		if strings.Contains(template, "{template}") || strings.Contains(template, "{values}") {
			return
		}
		template = strings.ToValidUTF8(template, "?")
		wired := record{}
		var want strings.Builder
		rest := template
		for rest != "" {
			at := token.FindStringIndex(rest)
			if at == nil || at[0] != 0 {
				break
			}
			switch tok := rest[:at[1]]; {
			case tok == "{{" || tok == "}}":
				want.WriteString(tok[:1])
			case tok[0] == '{':
				wired[tok[1:len(tok)-1]] = "<" + tok + ">"
				want.WriteString("<" + tok + ">")
			default:
				want.WriteString(tok)
			}
			rest = rest[at[1]:]
		}
		h := nodetest.New(t, text.Plugin())
		if rest != "" {
			problems := h.Problems("text.format", record{"template": template})
			require.NotEmpty(t, problems)
			require.Empty(t, problems[0].Code, "%q", template)
			return
		}
		out, err := h.Exec("text.format", record{"template": template}, wired)
		require.NoError(t, err)
		require.Equal(t, want.String(), out["result"])
	})
}

// bind returns the call of a node, for benchmarks.
func bind(b *testing.B, typ string, config record) node.Call {
	registry, err := node.NewRegistry(text.Plugin())
	require.NoError(b, err)
	n, _ := registry.Lookup(typ)
	bound, problems := n.Bind(node.Binding{Spec: &n.Spec, Config: config, Wired: func(string) bool { return true }})
	require.Empty(b, problems)
	return bound.Call
}

func BenchmarkFormat(b *testing.B) {
	call := bind(b, "text.format", record{"template": "{text}."})
	in, out := []any{"", node.Absent{}, "hello............"}, []any{nil}
	b.ReportAllocs()
	for b.Loop() {
		if err := call(b.Context(), in, out); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkConcat100(b *testing.B) {
	call := bind(b, "text.concat", nil)
	parts := make([]any, 100)
	for i := range parts {
		parts[i] = "hello."
	}
	in, out := []any{parts, ""}, []any{nil}
	b.ReportAllocs()
	for b.Loop() {
		if err := call(b.Context(), in, out); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkUpper(b *testing.B) {
	call := bind(b, "text.transform", record{"mode": "upper"})
	in, out := []any{"hello", "upper"}, []any{nil}
	b.ReportAllocs()
	for b.Loop() {
		if err := call(b.Context(), in, out); err != nil {
			b.Fatal(err)
		}
	}
}

func TestFormatFieldThatIsNotThere(t *testing.T) {
	h := nodetest.New(t, text.Plugin())
	for _, tt := range []struct {
		user    any
		message string
	}{
		{record{"name": "Ada"}, `nothing to put for {user.at.city}: the record has no field "at"`},
		{record{"at": "Bern"}, `what should have the field "city" is no record, but string`},
		{7, `what should have the field "at" is no record, but int`},
	} {
		_, err := h.Exec("text.format", record{"template": "{user.at.city}"}, record{"user": tt.user})
		require.Equal(t, node.CodeInvalidInput, node.CodeOf(err))
		require.ErrorContains(t, err, tt.message)
	}
}

// Doubled braces are written as one brace, but may be meant as another product's
// placeholder.
func TestFormatHints(t *testing.T) {
	for template, want := range map[string]string{
		"Hello {{$json.name}}!":   "write {name}",
		"Hello {{ $json.a.b }}!":  "write {a.b}",
		"{{user.name}} {x}":       "write {user.name}",
		`{{ $json["a b"] }}`:      "write {name}",
		"{{name}}":                "write {name}",
		"{x}":                     "",
		"{{\"a\": {x}}}":          "",
		"{{{x}}}":                 "",
		"function() {{ return }}": "write {return}",
		"{{ a: b }} {{1}} {{}}":   "",
	} {
		bind := text.Plugin().(node.Bundle).Nodes[0].Bind
		spec := &text.Plugin().(node.Bundle).Nodes[0].Spec
		bound, problems := bind(node.Binding{Spec: spec, Config: record{"template": template}, Wired: func(string) bool { return false }})
		require.Empty(t, problems, template)
		if want == "" {
			require.Empty(t, bound.Hints, template)
			continue
		}
		require.Len(t, bound.Hints, 1, template)
		require.Equal(t, "template", bound.Hints[0].Port)
		require.Contains(t, bound.Hints[0].Message, want)
	}
}
