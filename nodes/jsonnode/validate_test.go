package jsonnode_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/jsonnode"
	"github.com/svcflow/svc/nodes/nodetest"
)

// validate runs the node twice: with the schema in the config, and wired.
func validate(t *testing.T, schema string, v any) (record, error) {
	t.Helper()
	h := nodetest.New(t, jsonnode.Plugin())
	s := decode(t, schema)
	configured, errConfigured := h.Exec("json.validate", record{"schema": s}, record{"value": v})
	wired, errWired := h.Exec("json.validate", nil, record{"schema": s, "value": v})
	require.Equal(t, configured, wired)
	require.Equal(t, errConfigured == nil, errWired == nil)
	return wired, errWired
}

func TestValidate(t *testing.T) {
	schema := `{"type":"object","required":["id"],"properties":{"id":{"type":"integer","maximum":9007199254740993},"mail":{"format":"email"},"tags":{"type":"array","items":{"type":"string","pattern":"^[a-z]+$"},"uniqueItems":true}},"additionalProperties":false}`
	for doc, want := range map[string]string{
		`{"id":9007199254740993,"mail":"a@b.test","tags":["a","b"]}`: `[]`,
		`{"id":9007199254740994}`:                                    `[{"message":"it is more than 9007199254740993","path":"/id"}]`,
		`{"id":1.0}`:                                                 `[]`,
		`{}`:                                                         `[{"message":"missing property 'id'","path":""}]`,
		`{"id":1,"mail":"no"}`:                                       `[{"message":"it is no valid email","path":"/mail"}]`,
		`{"id":1,"tags":["B",2]}`:                                    `[{"message":"it does not match the pattern ^[a-z]+$","path":"/tags/0"},{"message":"got number, want string","path":"/tags/1"}]`,
		`{"id":1,"z":0,"a/b":0}`:                                     `[{"message":"the field \"a/b\" is not allowed","path":""}]`,
		`[]`:                                                         `[{"message":"got array, want object","path":""}]`,
	} {
		out, err := validate(t, schema, decode(t, doc))
		require.NoError(t, err)
		require.Equal(t, want, string(value.Encode(out["errors"])), doc)
		require.Equal(t, want == `[]`, out["valid"])
	}
}

func TestValidateSchemas(t *testing.T) {
	for _, tt := range []struct {
		schema, doc string
		valid       bool
	}{
		{`true`, `1`, true},
		{`false`, `1`, false},
		{`{}`, `null`, true},
		{`{"$ref":"#/$defs/a","$defs":{"a":{"const":1}}}`, `2`, false},
		{`{"$id":"https://x.test/s","$ref":"b","$defs":{"b":{"$id":"b","type":"string"}}}`, `"x"`, true},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"a":{"type":"string"}},"items":[{"$ref":"#/definitions/a"}]}`, `[1]`, false},
		{`{"$ref":"https://json-schema.org/draft/2020-12/schema"}`, `{"type":7}`, false},
		{`{"prefixItems":[{"type":"string"}],"unevaluatedItems":false}`, `["a",1]`, false},
		{`{"$defs":{"n":{"properties":{"next":{"$ref":"#/$defs/n"}},"required":["v"]}},"$ref":"#/$defs/n"}`, `{"v":1,"next":{"v":2,"next":{}}}`, false},
		{`{"format":"unheard-of"}`, `"x"`, true},
	} {
		out, err := validate(t, tt.schema, decode(t, tt.doc))
		require.NoError(t, err, tt.schema)
		require.Equal(t, tt.valid, out["valid"], tt.schema)
	}
}

func TestValidateRefusesSchemas(t *testing.T) {
	h := nodetest.New(t, jsonnode.Plugin())
	for schema, message := range map[string]string{
		`{"type":"strin"}`:                    `wrong at "/type"`,
		`{"$ref":"https://evil.test/s.json"}`: "none is loaded",
		`{"$ref":"file:///etc/passwd"}`:       "none is loaded",
		`{"$schema":"https://evil.test/s"}`:   "none is loaded",
		`{"$ref":"other.json"}`:               "the schema is wrong",
		`{"$ref":"#/$defs/none"}`:             "the schema is wrong",
		`{"pattern":"("}`:                     "wrong at",
		`7`:                                   "it has to be a record",
		`{"minimum":"x"}`:                     `wrong at "/minimum"`,
		`{"description":"` + strings.Repeat("x", 5<<20) + `"}`: "longer than",
	} {
		s := decode(t, schema)
		problems := h.Problems("json.validate", record{"schema": s}, "value")
		require.Len(t, problems, 1, schema)
		require.Contains(t, problems[0].Message, message)
		_, err := h.Exec("json.validate", nil, record{"schema": s, "value": 1})
		require.Equal(t, node.CodeInvalidInput, node.CodeOf(err))
	}
}

func TestValidateListsSomeErrors(t *testing.T) {
	out, err := validate(t, `{"items":{"type":"string"}}`, slices.Repeat([]any{1}, 5000))
	require.NoError(t, err)
	require.Len(t, out["errors"], 1000)
}

func TestValidateStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := nodetest.New(t, jsonnode.Plugin()).ExecContext(ctx, "json.validate", record{"schema": record{"type": "int" + "eger"}}, record{"value": 1})
	require.ErrorIs(t, err, context.Canceled)
}

func TestValidateConcurrently(t *testing.T) {
	h := nodetest.New(t, jsonnode.Plugin())
	schema := decode(t, `{"items":{"$ref":"#/$defs/a"},"$defs":{"a":{"type":"integer"}}}`)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			out, err := h.Exec("json.validate", record{"schema": schema}, record{"value": []any{1, "x"}})
			if err != nil || out["valid"] != false {
				t.Error(out, err)
			}
		})
	}
	group.Wait()
}

func FuzzValidate(f *testing.F) {
	f.Add(`{"type":"object","$defs":{"a":{}},"$ref":"#/$defs/a","if":{"not":{}},"dependentRequired":{"a":["b"]}}`, `{"a":[1,2.5,null]}`)
	f.Add(`{"$dynamicRef":"#x","$dynamicAnchor":"x","unevaluatedProperties":false,"patternProperties":{"^a":{"multipleOf":0.01}}}`, `{"a":0.3}`)
	f.Fuzz(func(t *testing.T, schema, doc string) {
		s, errSchema := value.DecodeLenient([]byte(schema))
		v, errDoc := value.DecodeLenient([]byte(doc))
		if errSchema == nil && errDoc == nil {
			_, _ = exec(t, "json.validate", record{"schema": s, "value": v})
		}
	})
}
