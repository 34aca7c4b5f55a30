package ionode_test

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/network"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/workflow"
	ionode "github.com/svcflow/svc/nodes/io"
)

// secret is the credential whose leaks the tests look for.
const secret = `canary+/"5f2e=9a71c3d8e0`

// holding returns a provider of the credential http:main, of a kind and for a host.
func holding(t *testing.T, kind, host string) credentials.Provider {
	t.Helper()
	fields := map[string]string{
		"bearer": `"access_token":%q`, "basic": `"username":"ann","password":%q`, "header": `"name":"X-Api-Key","value":%q`, "query": `"name":"key","value":%q`,
	}
	c, err := credentials.Parse(fmt.Sprintf(`{"kind":%q,"hosts":[%q],`+fields[kind]+`}`, kind, host, secret))
	require.NoError(t, err)
	held := &credentials.Memory{}
	require.NoError(t, held.SetCredential(t.Context(), "http:main", c))
	return held
}

// play runs nodes, and returns the result and everything that the run reports.
func play(t *testing.T, env ionode.Env, nodes []workflow.Node, wires ...workflow.Connection) (result *engine.Result, said string) {
	t.Helper()
	registry, err := node.NewRegistry(ionode.Plugin(env))
	require.NoError(t, err)
	plan, err := engine.Compile(t.Context(), &workflow.Definition{ID: "w", Nodes: nodes, Connections: wires}, engine.Env{Registry: registry})
	require.NoError(t, err)
	var events []string
	options := engine.Options{Observe: func(e engine.Event) { events = append(events, fmt.Sprintf("%+v %+v", e, e.Error)) }}
	run, err := new(engine.Local).Run(t.Context(), plan, options)
	require.NoError(t, err)
	return run.Result(), fmt.Sprintf("%v %+v %+v", events, run.Result(), run.Err())
}

func one(typ string, config record) []workflow.Node {
	return []workflow.Node{{ID: "n", Type: typ, Config: config}}
}

// Each kind of credential is sent to the server as the node requires, and does not appear
// in anything that the run reports, even though the server echoes everything.
func TestCredentialIsSentAndNotShown(t *testing.T) {
	for _, typ := range []string{"io.http_request", "io.webhook_post"} {
		for _, kind := range []string{"bearer", "basic", "header", "query"} {
			for _, status := range []int{200, 404, 500} {
				t.Run(fmt.Sprint(typ, kind, status), func(t *testing.T) {
					var got string
					base := serve(t, func(w http.ResponseWriter, r *http.Request) {
						_, password, _ := r.BasicAuth()
						got = r.Header.Get("Authorization") + r.Header.Get("X-Api-Key") + r.URL.Query().Get("key") + password
						w.Header().Set("X-Echo", r.URL.RawQuery)
						w.WriteHeader(status)
						_, _ = io.WriteString(w, strings.Repeat("x", 280)+got+r.URL.RawQuery) // spans the end of the excerpt in messages
					})
					env := ionode.Env{HTTP: newClient(t), Networks: network.Shipped(), Credentials: holding(t, kind, base)}
					config := record{"url": base + "/a?b=1", "credential": "http:main", "failOnStatus": true}
					if typ == "io.webhook_post" {
						config["payload"] = 1
					}
					result, said := play(t, env, one(typ, config))
					require.Contains(t, got, secret)
					require.NotContains(t, said, "canary")
					if status >= 400 {
						require.Contains(t, result.Nodes["n"].Error.Message, fmt.Sprint(status))
					}
				})
			}
		}
	}
}

// Nothing is sent if the credential is missing, or if there are two.
func TestCredentialThatCannotBeUsed(t *testing.T) {
	deaf := &http.Client{Transport: unreachable{t}}
	for name, tt := range map[string]struct {
		in   record
		kind string
		code string
	}{
		"unknown":                {record{"credential": "http:other"}, "bearer", "unknown_credential"},
		"elsewhere":              {record{"url": "https://evil.example/"}, "bearer", node.CodeForbidden},
		"not encrypted":          {record{"url": "http://api.example.com/"}, "bearer", node.CodeForbidden},
		"with Authorization":     {record{"headers": record{"authorization": "x"}}, "query", node.CodeInvalidConfig},
		"with its own header":    {record{"headers": record{"x-api-key": "x"}}, "header", node.CodeInvalidConfig},
		"of a network of logins": {record{"credential": "github:me"}, "bearer", "unknown_credential"},
	} {
		t.Run(name, func(t *testing.T) {
			in := record{"url": "https://api.example.com/", "credential": "http:main"}
			maps.Copy(in, tt.in)
			wire := []workflow.Node{{ID: "n", Type: "io.http_request", Config: in}}
			var wires []workflow.Connection
			if headers := in["headers"]; headers != nil {
				delete(in, "headers")
				wire = append(wire, workflow.Node{ID: "headers", Type: "io.input", Config: record{"name": "headers", "default": headers}})
				wires = append(wires, workflow.Connection{FromNodeID: "headers", FromPort: "value", ToNodeID: "n", ToPort: "headers"})
			}
			env := ionode.Env{HTTP: deaf, Networks: network.Shipped(), Credentials: holding(t, tt.kind, "api.example.com")}
			result, said := play(t, env, wire, wires...)
			require.NotNil(t, result.Nodes["n"].Error)
			require.Equal(t, tt.code, result.Nodes["n"].Error.Code)
			require.NotContains(t, said, "canary")
		})
	}
}

// A redirect to another host gets neither the credential nor the headers, even if the
// redirects lead back later.
func TestCredentialStaysBehind(t *testing.T) {
	for _, kind := range []string{"bearer", "basic", "header", "query"} {
		for _, status := range []int{301, 303, 307, 308} {
			var heard []string
			note := func(r *http.Request) { heard = append(heard, fmt.Sprint(r.URL, r.Header)) }
			var home string
			evil := serve(t, func(w http.ResponseWriter, r *http.Request) {
				note(r)
				if r.URL.Path == "/back" {
					http.Redirect(w, r, home+"/again", status)
				}
			})
			for _, path := range []string{"/stay", "/back"} {
				heard = nil
				home = serve(t, func(w http.ResponseWriter, r *http.Request) {
					if r.URL.Path == "/from" {
						http.Redirect(w, r, evil+path, status)
						return
					}
					note(r)
				})
				env := ionode.Env{HTTP: newClient(t), Networks: network.Shipped(), Credentials: holding(t, kind, home)}
				result, _ := play(t, env, one("io.http_request", record{"url": home + "/from", "credential": "http:main", "headers": record{"X-Own": "canary"}}))
				require.Nil(t, result.Nodes["n"].Error)
				require.NotEmpty(t, heard)
				require.NotContains(t, strings.Join(heard, "\n"), "canary", "%s %d %s", kind, status, path)
				require.NotContains(t, strings.Join(heard, "\n"), "Authorization")
			}
		}
	}
}

// Settings that can never work are reported at validation.
func TestRequestProblems(t *testing.T) {
	registry, err := node.NewRegistry(ionode.Plugin(ionode.Env{Networks: network.Shipped()}))
	require.NoError(t, err)
	for name, tt := range map[string]struct {
		typ    string
		config record
		port   string
	}{
		"credential and header":            {"io.http_request", record{"credential": "http:main", "headers": record{"AUTHORIZATION": "x"}}, "headers"},
		"credential and header of webhook": {"io.webhook_post", record{"payload": 1, "credential": "http:main", "headers": record{"Authorization": "x"}}, "headers"},
		"body and form":                    {"io.http_request", record{"body": 1, "form": record{}}, "form"},
		"body and files":                   {"io.http_request", record{"body": 1, "files": []any{}}, "files"},
		"file and pages":                   {"io.http_request", record{"saveTo": "a", "pages": record{"next": "nil", "items": "nil"}}, "pages"},
		"next is wrong":                    {"io.http_request", record{"pages": record{"next": "jsn.next", "items": "nil"}}, "pages"},
		"items are wrong":                  {"io.http_request", record{"pages": record{"next": "nil", "items": "("}}, "pages"},
		"no page":                          {"io.http_request", record{"pages": record{"next": "nil", "items": "nil", "max": 0}}, "pages"},
		"negative pause":                   {"io.http_request", record{"pages": record{"next": "nil", "items": "nil", "delayMs": -1}}, "pages"},
		"credential of email":              {"io.http_request", record{"credential": "email:me"}, "credential"},
	} {
		t.Run(name, func(t *testing.T) {
			tt.config["url"] = "https://api.example.com"
			_, err := engine.Compile(t.Context(), &workflow.Definition{ID: "w", Nodes: one(tt.typ, tt.config)}, engine.Env{Registry: registry})
			var invalid engine.ValidationErrors
			require.ErrorAs(t, err, &invalid)
			require.Len(t, invalid, 1)
			require.Equal(t, node.CodeInvalidConfig, invalid[0].Code)
			require.Equal(t, tt.port, invalid[0].Port)
		})
	}
}

// A link to a next page on another host is a failure, and nothing is sent there.
func TestPagesKeepTheCredential(t *testing.T) {
	var heard []string
	var base string
	base = serve(t, func(w http.ResponseWriter, r *http.Request) {
		heard = append(heard, r.Header.Get("Authorization"))
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Path == "/2" {
			_, _ = io.WriteString(w, `{"data":[2],"next":"http://elsewhere.example/3"}`)
			return
		}
		_, _ = fmt.Fprintf(w, `{"data":[1],"next":%q}`, base+"/2")
	})
	env := ionode.Env{HTTP: newClient(t), Networks: network.Shipped(), Credentials: holding(t, "bearer", base)}
	result, said := play(t, env, one("io.http_request", record{
		"url": base, "credential": "http:main", "pages": record{"next": "json.next", "items": "json.data"},
	}))
	require.Equal(t, []string{"Bearer " + secret, "Bearer " + secret}, heard)
	require.Equal(t, node.CodeForbidden, result.Nodes["n"].Error.Code)
	require.Contains(t, result.Nodes["n"].Error.Message, "elsewhere.example")
	require.NotContains(t, said, "canary")
}
