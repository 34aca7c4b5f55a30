package expr

import (
	"errors"
	"fmt"
	"regexp"

	"github.com/expr-lang/expr/ast"

	"github.com/svcflow/svc/engine/node"
)

// Expressions look like JavaScript, which many users know better. The code below finds
// JavaScript that would fail only at run time, or with an unhelpful message.

// methods returns the methods of JavaScript and their replacements. Values have no methods,
// except for times, whose methods begin with a capital letter.
func methods() map[string]string {
	return map[string]string{
		"at":          "list[0]",
		"charAt":      "text[0:1]",
		"concat":      "concat(a, b), or a + b for text",
		"endsWith":    `text endsWith "x"`,
		"every":       "all(list, # > 1)",
		"filter":      "filter(list, # > 1)",
		"find":        "find(list, # > 1)",
		"findIndex":   "findIndex(list, # > 1)",
		"flat":        "flatten(list)",
		"forEach":     "map(list, #.name)",
		"getTime":     "date(text).UnixMilli()",
		"includes":    `text contains "x", or x in list`,
		"indexOf":     `indexOf(text, "x")`,
		"join":        `join(list, ", ")`,
		"map":         "map(list, #.name)",
		"match":       `text matches "^a"`,
		"reduce":      "reduce(list, #acc + #, 0)",
		"replace":     `replace(text, "a", "b")`,
		"replaceAll":  `replace(text, "a", "b")`,
		"reverse":     "reverse(list)",
		"slice":       "list[1:3]",
		"some":        "any(list, # > 1)",
		"sort":        "sort(list), or sortBy(list, #.name)",
		"split":       `split(text, ",")`,
		"startsWith":  `text startsWith "x"`,
		"substr":      "text[1:3]",
		"substring":   "text[1:3]",
		"test":        `text matches "^a"`,
		"toFixed":     "round(number * 100) / 100",
		"toISOString": "the node time.format",
		"toLowerCase": "lower(text)",
		"toString":    "string(value)",
		"toUpperCase": "upper(text)",
		"trim":        "trim(text)",
	}
}

// idioms returns patterns of other JavaScript constructs that the language lacks, and
// replacements. They are searched for in expressions that do not compile.
func idioms() [][2]string {
	return [][2]string{
		{`\bnew\s+Date\b|\bDate\s*[.(]`, "the nodes time.now and time.format tell and write the time; date(text) reads one"},
		{`\bnow\s*\(`, "an expression has no clock; the node time.now tells the time, and vars brings it in"},
		{`=>`, "functions are written without =>, as in map(list, #.name)"},
		{`[!=]==`, "write == and !="},
		{`\bJSON\s*\.`, "write toJSON(value) and fromJSON(text)"},
		{`\bObject\s*\.`, "write keys(record), values(record) and toPairs(record)"},
		{`\bMath\s*\.`, "write abs(x), ceil(x), floor(x), round(x), max(a, b) and min(a, b)"},
		{`\bparse(Int|Float)\b|\bNumber\s*\(`, "write int(text) and float(text)"},
		{`\bString\s*\(`, "write string(value)"},
		{`\btypeof\b`, "write type(value)"},
		{`\bnull\b|\bundefined\b`, "write nil"},
		{`\$json\b|\$input\b|\$node\b`, "an item is called item, as in item.name"},
		{`\{\{`, "write the expression without {{ and }}"},
	}
}

// foreign returns the replacement for JavaScript in an expression that does not compile; ""
// if it has no known construct.
func foreign(source string) string {
	for _, idiom := range idioms() {
		if regexp.MustCompile(idiom[0]).MatchString(source) {
			return idiom[1]
		}
	}
	for _, call := range methodCall.FindAllStringSubmatch(source, -1) {
		if instead, known := methods()[call[1]]; known {
			return methodText(call[1], instead)
		}
	}
	return ""
}

var methodCall = regexp.MustCompile(`\.\s*([A-Za-z]+)\s*\(`)

func methodText(name, instead string) string {
	return fmt.Sprintf("values have no method %s(); write %s", name, instead)
}

// checkCalls finds calls of methods. The library compiles them if the type of a value is
// unknown.
type checkCalls struct{ err error }

// Visit implements ast.Visitor.
func (c *checkCalls) Visit(n *ast.Node) {
	call, ok := (*n).(*ast.CallNode)
	if !ok {
		return
	}
	member, ok := call.Callee.(*ast.MemberNode)
	if !ok {
		return
	}
	name, ok := member.Property.(*ast.StringNode)
	if !ok || name.Value == "" || name.Value[0] < 'a' || name.Value[0] > 'z' {
		return
	}
	if instead, known := methods()[name.Value]; known {
		c.err = errors.New(methodText(name.Value, instead))
	} else {
		c.err = fmt.Errorf("values have no method %s()", name.Value)
	}
}

// doubts collects hints about code that is valid but probably not meant.
type doubts struct {
	port  string
	hints []node.Problem
}

var interpolation = regexp.MustCompile(`\$\{[^{}]*\}`)

// Visit implements ast.Visitor.
func (d *doubts) Visit(n *ast.Node) {
	text, ok := (*n).(*ast.StringNode)
	if !ok || len(d.hints) > 0 {
		return
	}
	if found := interpolation.FindString(text.Value); found != "" {
		d.hints = append(d.hints, node.Invalid(d.port, `%s stands in a text and is not filled in; put texts together with +, as in "Hello, " + item.name`, shorten(found)))
	}
}

// shorten limits the part of an expression in a message.
func shorten(s string) string {
	const most = 40
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
