package main

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/google/jsonschema-go/jsonschema"
	validator "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/enginetest/golden"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/httpapi"
	"github.com/svcflow/svc/httpapi/keys"
)

// answered are what commands answer with --output json: one of these types.
func answered() map[string][]any {
	return map[string][]any{
		"credentials import":   {connected{}},
		"credentials list":     {[]credentials.Status{}},
		"credentials login":    {connected{}},
		"credentials logout":   {deleted{}},
		"credentials networks": {[]shownNetwork{}},
		"credentials set":      {connected{}},
		"credentials test":     {usable{}},
		"fmt":                  {formatted{}},
		"keys create":          {keys.Made{}},
		"keys list":            {[]keys.Key{}},
		"keys revoke":          {deleted{}},
		"login":                {signedIn{}},
		"logout":               {signedIn{}},
		"migrate":              {migrated{}},
		"nodes":                {[]node.Spec{}, node.Spec{}, workflow.Definition{}},
		"profiles list":        {[]shownProfile{}},
		"profiles use":         {signedIn{}},
		"run":                  {engine.Result{}, startedRun{}, dryRun{}},
		"runs cancel":          {cancelledRuns{}},
		"runs delete":          {deleted{}},
		"runs follow":          {engine.Event{}}, // each line
		"runs list":            {[]run.Record{}},
		"runs resume":          {startedRun{}},
		"runs show":            {run.Record{}},
		"state delete":         {deleted{}},
		"state get":            {run.State{}},
		"state list":           {[]run.State{}},
		"state set":            {run.State{}},
		"sync":                 {syncAnswer{}},
		"templates":            {[]shownTemplate{}, workflow.Definition{}},
		"test":                 {tested{}},
		"triggers list":        {[]run.Trigger{}},
		"validate":             {[]judgement{}},
		"version":              {shownVersion{}},
		"workflows activate":   {run.Activation{}},
		"workflows delete":     {deleted{}},
		"workflows diff":       {difference{}},
		"workflows history":    {[]workflow.Meta{}},
		"workflows list":       {[]workflow.Meta{}},
		"workflows restore":    {workflow.Meta{}},
		"workflows save":       {[]workflow.Meta{}},
		"workflows show":       {workflow.Definition{}},
	}
}

// shared are the types that the API has, too, by their names there.
func shared() map[reflect.Type]string {
	return map[reflect.Type]string{
		reflect.TypeFor[credentials.Status]():     "Credential",
		reflect.TypeFor[engine.Event]():           "ExecutionStreamMessage",
		reflect.TypeFor[engine.Failure]():         "Failure",
		reflect.TypeFor[engine.Hint]():            "Hint",
		reflect.TypeFor[engine.Result]():          "WorkflowExecutionResult",
		reflect.TypeFor[engine.ValidationError](): "ValidationError",
		reflect.TypeFor[keys.Key]():               "Key",
		reflect.TypeFor[keys.Made]():              "MadeKey",
		reflect.TypeFor[node.Spec]():              "NodeSpec",
		reflect.TypeFor[run.Activation]():         "Activation",
		reflect.TypeFor[run.Record]():             "Run",
		reflect.TypeFor[run.State]():              "State",
		reflect.TypeFor[run.Trigger]():            "Trigger",
		reflect.TypeFor[workflow.Definition]():    "WorkflowDefinition",
		reflect.TypeFor[workflow.Meta]():          "WorkflowMeta",
	}
}

const schemaFile = "../../docs/cli.schema.json"

// TestSchemas keeps docs/cli.schema.json in step with the types of answers.
func TestSchemas(t *testing.T) {
	got := schemas(t)
	golden.Equal(t, schemaFile, got, *update)
}

// TestEveryAnswerHasASchema finds the commands with --output in the grammar.
func TestEveryAnswerHasASchema(t *testing.T) {
	parser, err := kong.New(&cli{}, kong.Vars{"source": "", "runid": "", "version": ""})
	require.NoError(t, err)
	found := []string{}
	for _, leaf := range parser.Model.Leaves(false) {
		for _, group := range leaf.AllFlags(false) {
			for _, flag := range group {
				if flag.Name == "output" {
					found = append(found, strings.TrimPrefix(leaf.Path(), "svc "))
				}
			}
		}
	}
	for i := range found { // without the arguments
		found[i] = strings.Join(slices.DeleteFunc(strings.Fields(found[i]), func(word string) bool { return strings.ContainsAny(word, "<[") }), " ")
	}
	slices.Sort(found)
	require.Equal(t, slices.Sorted(maps.Keys(answered())), slices.Compact(found))
}

// schemas makes the file: a definition for each command, and those of the API that they
// share.
func schemas(t *testing.T) []byte {
	t.Helper()
	types := map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[map[string]any](): {Type: "object"},
		reflect.TypeFor[[]string]():       {Type: "array", Items: &jsonschema.Schema{Type: "string"}},
	}
	for typ, name := range shared() {
		types[typ] = &jsonschema.Schema{Ref: "#/$defs/" + name}
	}
	defs := map[string]any{}
	for command, answers := range answered() {
		var of []any
		for _, answer := range answers {
			s, err := jsonschema.ForType(reflect.TypeOf(answer), &jsonschema.ForOptions{TypeSchemas: types})
			require.NoError(t, err, command)
			of = append(of, plainRefs(t, s))
		}
		if defs["svc "+command] = of[0]; len(of) > 1 {
			defs["svc "+command] = map[string]any{"anyOf": of}
		}
	}
	components := apiSchemas(t)
	for _, name := range shared() {
		take(t, defs, components, name)
	}
	text, err := json.MarshalIndent(map[string]any{
		"$schema": "https://json-schema.org/draft/2020-12/schema",
		"title":   "The answers of svc commands with --output json, by command. Made from the Go types; do not edit.",
		"$defs":   defs,
	}, "", "  ")
	require.NoError(t, err)
	return append([]byte(strings.ReplaceAll(string(text), "#/components/schemas/", "#/$defs/")), '\n')
}

// plainRefs returns s as JSON in which what refers to another schema says nothing else: a
// pointer that is nil is left out, and never null.
func plainRefs(t *testing.T, s *jsonschema.Schema) any {
	t.Helper()
	text, err := json.Marshal(s)
	require.NoError(t, err)
	var v any
	require.NoError(t, json.Unmarshal(text, &v))
	eachObject(v, func(o map[string]any) {
		if _, refers := o["$ref"]; refers {
			delete(o, "type")
		}
	})
	return v
}

// eachObject calls f with every object in v.
func eachObject(v any, f func(map[string]any)) {
	switch v := v.(type) {
	case map[string]any:
		f(v)
		for _, inner := range v {
			eachObject(inner, f)
		}
	case []any:
		for _, inner := range v {
			eachObject(inner, f)
		}
	}
}

// take copies a schema of the API, and those that it refers to.
func take(t *testing.T, defs, components map[string]any, name string) {
	t.Helper()
	if _, known := defs[name]; known {
		return
	}
	require.Contains(t, components, name)
	defs[name] = components[name]
	eachObject(components[name], func(o map[string]any) {
		if ref, ok := o["$ref"].(string); ok {
			take(t, defs, components, strings.TrimPrefix(ref, "#/components/schemas/"))
		}
	})
}

// apiSchemas returns the schemas of the API's own description.
func apiSchemas(t *testing.T) map[string]any {
	t.Helper()
	service, err := httpapi.New(httpapi.Config{AllowAnonymous: true, DataDir: t.TempDir(), Getenv: func(string) (string, bool) { return "", false }})
	require.NoError(t, err)
	defer func() { require.NoError(t, service.Close(t.Context())) }()
	recorder := httptest.NewRecorder()
	service.ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/openapi.json", nil))
	text, err := io.ReadAll(recorder.Result().Body)
	require.NoError(t, err)
	var doc struct {
		Components struct{ Schemas map[string]any }
	}
	require.NoError(t, json.Unmarshal(text, &doc))
	return doc.Components.Schemas
}

// TestAnswersFitTheirSchemas runs commands and holds what they print against the file.
func TestAnswersFitTheirSchemas(t *testing.T) {
	schema, err := os.ReadFile(schemaFile)
	require.NoError(t, err)
	data := t.TempDir()
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("flow.json", []byte(`{"id":"flow","nodes":[{"id":"out","type":"io.output","config":{"name":"out","value":1}},{"id":"w","type":"io.file_write","config":{"path":"x","content":"y"}}],"connections":[]}`), 0o600))
	require.NoError(t, os.WriteFile("bad.json", []byte(`{"id":"bad","nodes":[{"id":"x","type":"no.such"}],"connections":[]}`), 0o600))
	require.NoError(t, os.WriteFile("flow.test.json", []byte(`{"workflow":"flow.json","cases":[{"name":"a","outputs":{}},{"name":"b","outputs":{"out":1}}]}`), 0o600))
	require.NoError(t, os.Mkdir("flows", 0o700))
	require.NoError(t, os.WriteFile("flows/new.json", []byte(`{"id":"new","nodes":[],"connections":[]}`), 0o600))
	service, err := httpapi.New(httpapi.Config{AllowAnonymous: true, DataDir: data, Getenv: func(string) (string, bool) { return "", false }})
	require.NoError(t, err)
	server := httptest.NewServer(service)
	t.Cleanup(func() {
		server.Close()
		require.NoError(t, service.Close(t.Context()))
	})
	env := map[string]string{"SVC_SERVER": server.URL, configVariable: t.TempDir()}
	for _, tt := range []struct{ command, args string }{
		{"version", ""},
		{"workflows save", "flow.json bad.json"},
		{"workflows save", "flow.json --data here"},
		{"workflows list", ""},
		{"workflows show", "flow"},
		{"workflows history", "flow"},
		{"workflows diff", "bad.json"},
		{"workflows restore", "flow 1"},
		{"validate", "flow.json bad.json nowhere.json flow.test.json"},
		{"run", "flow.json --local"},
		{"run", "flow.json --local --dry-run"},
		{"run", "flow"},
		{"run", "flow -d"},
		{"runs list", ""},
		{"runs show", "last"},
		{"runs follow", "last"},
		{"runs resume", "last --from out"},
		{"runs follow", "last"},
		{"runs delete", "last"},
		{"nodes", ""},
		{"nodes", "text.split"},
		{"templates", ""},
		{"templates", "greeting"},
		{"test", "flow.test.json"},
		{"fmt", "flow.json"},
		{"login", server.URL},
		{"profiles list", ""},
		{"profiles use", "--none"},
		{"logout", strings.TrimPrefix(server.URL, "http://")},
		{"credentials networks", ""},
		{"credentials list", ""},
		{"credentials set", "http:x --kind bearer --host a.example"},
		{"credentials test", "http:x"},
		{"credentials logout", "http:x"},
		{"sync", "flows --yes"},
		{"keys create", "reader --scope read --local"},
		{"keys list", "--local"},
		{"keys revoke", "reader --local"},
		{"workflows delete", "flow"},
	} {
		t.Run(tt.command+" "+tt.args, func(t *testing.T) {
			args := append(strings.Fields(tt.command), strings.Fields(tt.args)...)
			var out, errs bytes.Buffer
			execute(t.Context(), append(args, "--output", "json"), strings.NewReader("a secret"), &out, &errs,
				func(name string) (string, bool) { v, ok := env[name]; return v, ok })
			require.NotEmpty(t, out.String(), errs.String())
			fits(t, schema, tt.command, out.String())
		})
	}
}

// fits holds what a command has printed against its schema, line by line where it is a
// stream.
func fits(t *testing.T, schemas []byte, command, out string) {
	t.Helper()
	doc, err := validator.UnmarshalJSON(bytes.NewReader(schemas))
	require.NoError(t, err)
	compiler := validator.NewCompiler()
	require.NoError(t, compiler.AddResource("file:///cli.json", doc))
	schema, err := compiler.Compile("file:///cli.json#/$defs/svc%20" + strings.ReplaceAll(command, " ", "%20"))
	require.NoError(t, err)
	texts := []string{out}
	if command == "runs follow" {
		texts = strings.Split(strings.TrimSpace(out), "\n")
	}
	for _, text := range texts {
		v, err := validator.UnmarshalJSON(strings.NewReader(text))
		require.NoError(t, err, text)
		require.NoError(t, schema.Validate(v), text)
	}
}
