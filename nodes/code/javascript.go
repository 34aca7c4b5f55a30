package code

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/apart"
)

// The literals of the node.
const (
	scriptPort  = "code"
	inputsPort  = "inputs"
	outputsPort = "outputs"
	modePort    = "mode"
	flavourPort = "flavour"
	memoryPort  = "memoryMB"
	logsPort    = "logs"
	itemWord    = "item"
	indexWord   = "index"
)

const (
	modeOnce   = "once"
	modeEach   = "each"
	flavourSvc = "svc"
	flavourN8N = "n8n"
)

// The limits of a script.
const (
	maxCode    = 256 << 10 // bytes
	lowMemory  = 8         // MB
	highMemory = 1024
	mostPorts  = 100
)

// scriptTimeout is how long a script may take, unless its node says otherwise.
const scriptTimeout = 10 * time.Second

func javascriptNode(p *apart.Pool) node.Node {
	return node.Node{
		Spec: node.Spec{
			Type:    "code.javascript",
			Label:   "JavaScript",
			Aliases: node.Words("code, script, function, js, custom code, transform", "code, skript, programm, funktion, eigener code, umwandeln"),
			Example: &node.Example{Config: map[string]any{
				inputsPort: []any{"orders"}, "orders": []any{map[string]any{"price": 2, "qty": 3}, map[string]any{"price": 5, "qty": 1}},
				scriptPort: "return orders.reduce((sum, o) => sum + o.price * o.qty, 0)",
			}},
			Description: "Runs JavaScript (ECMAScript 2023). Each name in `inputs` becomes a port and a variable; what the script returns comes out.\n\n" +
				"With the input `orders`, the code `return orders.reduce((sum, o) => sum + o.price * o.qty, 0)` gives `11` for `[{\"price\":2,\"qty\":3},{\"price\":5,\"qty\":1}]`.\n\n" +
				"With one name in `outputs`, that is what is returned; with several, a record is returned, and each output is the member of its name. One that is missing is not taken. " +
				"With `mode` = `each` the script runs for each item of the first input, as `item` and `index`, and outputs are lists. `await` works; `console.log` goes to `logs`, up to 1,000 lines.\n\n" +
				"A script computes and nothing else: it has no files, no network, no `import` and no `require`. Its clock is that of the run and stands still; its time zone is UTC. " +
				"Whole numbers beyond 9007199254740991 are BigInt, so that ids stay what they are; a number in a result that is infinite or none becomes null.\n\n" +
				"With `flavour` = `n8n` scripts of that product find `$input`, `$json`, `$('name')` (an input of this node, other characters than letters and digits as `_`), `items`, `item`, `$itemIndex`, `$now`, `$today` and `DateTime`; items that are returned lose their wrapping `json`.\n\n" +
				"Fails with `script_error`, which tells the line, if the script throws, with `limit_exceeded` past `memoryMB`, and with `script_ended` if the process that ran it died. A server runs scripts only if its operator allows it.",
			Inputs: []node.Port{
				{Name: scriptPort, Type: value.String(), Literal: true, Widget: "multiline", Description: "The script: the body of a function, up to 256 KiB."},
				{Name: inputsPort, Type: value.ListOf(value.String()), Literal: true, Default: []any{}, Description: "The names of the inputs; each becomes a port."},
				{Name: outputsPort, Type: value.ListOf(value.String()), Literal: true, Default: []any{"result"}, Description: "The names of the outputs; each becomes a port."},
				{Name: modePort, Type: value.EnumOf(modeOnce, modeEach), Literal: true, Default: modeOnce, Description: "Run once, or for each item of the first input."},
				{Name: flavourPort, Type: value.EnumOf(flavourSvc, flavourN8N), Literal: true, Default: flavourSvc, Description: "What scripts find besides the language: their inputs by name, or the words of another product."},
				{Name: memoryPort, Type: value.Int(), Literal: true, Default: 64, Description: "How many megabytes the script may take, its inputs included: 8 to 1024."},
			},
			Outputs: []node.Port{logsOutput()},
			Timeout: scriptTimeout,
		},
		Bind: func(b node.Binding) (node.Bound, []node.Problem) { return bind(p, b) },
	}
}

func logsOutput() node.Port {
	return node.Port{Name: logsPort, Type: value.ListOf(value.String()), Description: "What the script logged, line by line."}
}

func bind(p *apart.Pool, b node.Binding) (node.Bound, []node.Problem) {
	literals := len(b.Spec.Inputs)
	s := &script{pool: p, literals: literals}
	s.code, _ = b.Config[scriptPort].(string)
	s.mode, _ = b.Config[modePort].(string)
	s.flavour, _ = b.Config[flavourPort].(string)
	s.memory, _ = b.Config[memoryPort].(int)
	taken := []string{}
	for i := range b.Spec.Inputs {
		taken = append(taken, b.Spec.Inputs[i].Name)
	}
	if s.mode == modeEach {
		taken = append(taken, itemWord, indexWord)
	}
	var problems, more []node.Problem
	s.inputs, problems = namesOf(b.Config, inputsPort, taken)
	s.outputs, more = namesOf(b.Config, outputsPort, []string{logsPort})
	problems = append(append(problems, more...), s.check()...)
	bound := node.Bound{Inputs: b.Spec.Inputs[:literals:literals], Call: s.call}
	for _, name := range s.inputs {
		bound.Inputs = append(bound.Inputs, node.Port{Name: name, Type: value.Any(), Optional: true, Description: "What the script calls " + name + "."})
	}
	for _, name := range s.outputs {
		bound.Outputs = append(bound.Outputs, node.Port{Name: name, Type: value.Any(), Optional: len(s.outputs) > 1, Description: "What the script returns."})
	}
	bound.Outputs = append(bound.Outputs, logsOutput())
	return bound, problems
}

// check finds settings with which no script can run.
func (s *script) check() (problems []node.Problem) {
	if len(s.code) > maxCode {
		problems = append(problems, node.Invalid(scriptPort, "the script is longer than %d bytes", maxCode))
	}
	if s.memory < lowMemory || s.memory > highMemory {
		problems = append(problems, node.Invalid(memoryPort, "a script may take %d to %d MB", lowMemory, highMemory))
	}
	if s.mode == modeEach && len(s.inputs) == 0 {
		problems = append(problems, node.Invalid(inputsPort, "each needs an input that brings the list; name one"))
	}
	if len(s.outputs) == 0 {
		problems = append(problems, node.Invalid(outputsPort, "name one output at least"))
	}
	return problems
}

// namesOf returns the names of ports that a config asks for.
func namesOf(config map[string]any, port string, taken []string) (names []string, problems []node.Problem) {
	list, _ := config[port].([]any)
	if len(list) > mostPorts {
		return nil, []node.Problem{node.Invalid(port, "there are more than %d names", mostPorts)}
	}
	for _, v := range list {
		name, isText := v.(string)
		switch {
		case !isText: // found without us
		case !value.IsIdentifier(name) || isKeyword(name):
			problems = append(problems, node.Invalid(port, "%q cannot be the name of a variable: use letters, digits and underscores, no digit first, and no word of the language", name))
		case slices.Contains(taken, name):
			problems = append(problems, node.Invalid(port, "%s is taken; choose another name", name))
		case slices.Contains(names, name):
			problems = append(problems, node.Invalid(port, "%s stands twice", name))
		default:
			names = append(names, name)
		}
	}
	return names, problems
}

// isKeyword reports whether name is reserved in JavaScript.
func isKeyword(name string) bool {
	return slices.Contains([]string{
		"arguments", "await", "break", "case", "catch", "class", "const", "continue", "debugger", "default", "delete", "do", "else", "enum", "eval",
		"export", "extends", "false", "finally", "for", "function", "if", "implements", "import", "in", "instanceof", "interface", "let", "new", "null",
		"package", "private", "protected", "public", "return", "static", "super", "switch", "this", "throw", "true", "try", "typeof", "var", "void",
		"while", "with", "yield",
	}, name)
}

// script is one node.
type script struct {
	pool                *apart.Pool
	code, mode, flavour string
	memory              int
	inputs, outputs     []string
	literals            int // inputs that come before those of the script
}

func (s *script) call(ctx context.Context, in, out []any) error {
	if s.pool == nil {
		return node.Errorf(node.CodeForbidden, "scripts do not run here; the operator of the server allows them with --code")
	}
	req := &request{
		Code: s.code, Names: append([]string{}, s.inputs...), Absent: []int{}, Mode: s.mode, Flavour: s.flavour, MemoryMB: s.memory,
	}
	req.at(time.Now())
	values, err := s.encode(ctx, req, in[s.literals:])
	if err != nil {
		return err
	}
	r, text, err := s.run(ctx, req, values)
	if err != nil {
		return ended(ctx, err, s.memory)
	}
	for i := range r.Logs {
		r.Logs[i] = node.Redact(ctx, r.Logs[i])
	}
	if r.Failure != nil {
		return node.Permanent(s.wrong(r.Failure, r.Logs))
	}
	if err := s.decode(ctx, text, out); err != nil {
		return node.Permanent(err)
	}
	out[len(out)-1] = lines(r.Logs)
	return nil
}

// run runs the script in a child, and returns the reply and the result.
func (s *script) run(ctx context.Context, req *request, values []byte) (*reply, []byte, error) {
	head, err := json.Marshal(req)
	if err != nil {
		return nil, nil, err
	}
	most := req.MemoryMB<<20 + 1<<20 // a script has no memory for more
	answer, err := s.pool.Do(ctx, apart.Message{Head: head, Body: values}, most)
	if err != nil {
		return nil, nil, err
	}
	r := &reply{}
	return r, answer.Body, json.Unmarshal(answer.Head, r)
}

func lines(texts []string) []any {
	list := make([]any, len(texts))
	for i := range texts {
		list[i] = texts[i]
	}
	return list
}
