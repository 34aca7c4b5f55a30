package main

import (
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
)

// example makes a workflow that shows what a node type does: one node of that
// type, with a value for each input that has to be given, and an output of the
// workflow for each of its own.
func example(s *node.Spec) *workflow.Definition {
	def := &workflow.Definition{
		ID: "example", Name: s.Label, Connections: []workflow.Connection{},
		Nodes: []workflow.Node{{ID: "node", Type: s.Type, Config: exampleConfig(s), Position: &workflow.Position{}}},
	}
	if s.Container {
		def.Nodes[0].Body = exampleBody()
	}
	outputs := s.Outputs
	if s.Container {
		outputs = append([]node.Port{{Name: "text"}}, outputs...)
	}
	for i, p := range outputs {
		id := "out-" + p.Name
		def.Nodes = append(def.Nodes, workflow.Node{
			ID: id, Type: "io.output", Config: map[string]any{"name": p.Name},
			Position: &workflow.Position{X: 320, Y: float64(160 * i)},
		})
		def.Connections = append(def.Connections, workflow.Connection{FromNodeID: "node", FromPort: p.Name, ToNodeID: id, ToPort: "value"})
	}
	return def
}

// exampleBody is a workflow to put into a container.
func exampleBody() *workflow.Definition {
	return &workflow.Definition{
		Nodes: []workflow.Node{
			{ID: "item", Type: "io.input", Config: map[string]any{"name": "item", "default": "Ada"}, Position: &workflow.Position{}},
			{ID: "greet", Type: "text.format", Config: map[string]any{"template": "Hello, {who}!"}, Position: &workflow.Position{X: 320}},
			{ID: "text", Type: "io.output", Config: map[string]any{"name": "text"}, Position: &workflow.Position{X: 640}},
			{ID: "again", Type: "io.output", Config: map[string]any{"name": "continue", "value": false}, Position: &workflow.Position{X: 640, Y: 160}},
		},
		Connections: []workflow.Connection{
			{FromNodeID: "item", FromPort: "value", ToNodeID: "greet", ToPort: "who"},
			{FromNodeID: "greet", FromPort: "result", ToNodeID: "text", ToPort: "value"},
		},
	}
}

// exampleConfig returns a value for each input that has to be given, and for those
// without which the node would show nothing.
func exampleConfig(s *node.Spec) map[string]any {
	config := map[string]any{}
	for i := range s.Inputs {
		p := &s.Inputs[i]
		if v, ok := exampleValue(s.Type, p.Name); ok {
			config[p.Name] = v
		} else if p.Required() {
			config[p.Name] = exampleOf(p.Type)
			if len(p.Networks) > 0 {
				config[p.Name] = p.Networks[0] + ":main"
			}
		}
	}
	return config
}

// exampleOf returns a value of type t.
func exampleOf(t value.Type) any {
	switch t.Kind() {
	case value.KindInt:
		return 3
	case value.KindFloat:
		return 1.5
	case value.KindBool:
		return true
	case value.KindCredential:
		return "example:main"
	case value.KindMedia:
		return map[string]any{"kind": "image", "mime": "image/png", "path": "picture.png"}
	case value.KindEnum:
		return t.Members()[0]
	case value.KindList:
		return exampleList(t.Elem())
	case value.KindRecord:
		return exampleRecord(t)
	default:
		return "Hello, Ada!"
	}
}

func exampleList(elem value.Type) any {
	switch elem.Kind() {
	case value.KindAny:
		return []any{3, 1, 2}
	case value.KindString:
		return []any{"one", "two"}
	default:
		return []any{exampleOf(elem)}
	}
}

func exampleRecord(t value.Type) any {
	record := map[string]any{}
	for _, f := range t.Fields() {
		record[f.Name] = exampleOf(f.Type)
	}
	if len(record) == 0 {
		record["name"] = "Ada"
	}
	return record
}

// exampleValue returns the value for a port where not every value of its type
// makes sense: by "type.port", else by "port" alone.
func exampleValue(typ, port string) (any, bool) {
	named := map[string]any{
		"by":         "item",
		"cases":      []any{"yes", "no"},
		"code":       "out_of_stock",
		"expression": "item * 2",
		"filter":     ".",
		"path":       "notes.txt",
		"pattern":    "[A-Z]\\w+",
		"template":   "Hello, {name}!",
		"url":        "https://example.com",

		"control.delay.ms":          100,
		"control.merge.a":           "the first that came",
		"io.env_read.name":          "SVC_VAR_REGION",
		"io.file_list.pattern":      "*.txt",
		"io.input.default":          "Ada",
		"io.input.name":             "who",
		"io.output.name":            "greeting",
		"io.resolve_path.base_dir":  "reports",
		"json.convert.to":           "string",
		"json.merge.a":              map[string]any{"name": "Ada", "born": 1815},
		"json.merge.b":              map[string]any{"born": 1816},
		"json.parse.text":           `{"name":"Ada","born":1815}`,
		"json.patch.patch":          []any{map[string]any{"op": "replace", "path": "/name", "value": "Grace"}},
		"json.patch.value":          map[string]any{"name": "Ada"},
		"json.path.path":            "$.name",
		"json.path.value":           map[string]any{"name": "Ada"},
		"json.pointer_get.pointer":  "/name",
		"json.pointer_get.value":    map[string]any{"name": "Ada"},
		"json.pointer_set.pointer":  "/name",
		"json.pointer_set.value":    map[string]any{"name": "Ada"},
		"json.query.filter":         "map(. * 2) | add",
		"json.query.value":          []any{3, 1, 2},
		"json.validate.schema":      map[string]any{"type": "string", "minLength": 3},
		"listops.concat.lists":      []any{[]any{1, 2}, []any{3}},
		"listops.filter.expression": "item > 1",
		"listops.flatten.list":      []any{[]any{1, 2}, []any{3}},
		"listops.get.index":         -1,
		"listops.range.end":         5,
		"listops.reduce.expression": "acc + item",
		"listops.reduce.initial":    0,
		"listops.zip.listB":         []any{"c", "a", "b"},
		"preview.image.source":      "https://example.com/picture.png",
		"text.decode.format":        "url",
		"text.decode.text":          "Hello%2C%20Ada!",
		"text.format.values":        map[string]any{"name": "Ada"},
		"text.regex.pattern":        "[A-Z]\\w+",
		"text.replace.find":         "Ada",
		"text.replace.replacement":  "Grace",
		"text.to_number.text":       "1815",

		"email.read_email.id":      "INBOX;1;42",
		"email.reply_email.id":     "INBOX;1;42",
		"email.send_email.subject": "Report",
		"email.send_email.text":    "Here it is.",
		"email.send_email.to":      []any{"ann@example.com"},

		// What svc-sim knows.
		"microblog.get_user_info.username": "grace",
		"microblog.like_tweet.tweet_id":    "1800000000000000002",
		"microblog.retweet.tweet_id":       "1800000000000000002",
		"microblog.search_tweets.query":    "#workflows",
		"microblog.send_dm.recipient_id":   "1100000000000000003",
		"pronet.like_post.post_id":         "urn:li:share:1800000000000000002",
		"pronet.search_posts.query":        "workflows",
		"pronet.send_message.recipient_id": "9HfGrace",
	}
	if v, ok := named[typ+"."+port]; ok {
		return v, true
	}
	v, ok := named[port]
	return v, ok
}
