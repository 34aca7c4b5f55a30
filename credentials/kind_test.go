package credentials_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/network"
)

const testPEM = "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIFsuperCANARYsecretCANARYsuperCANARYsecretAA\n-----END PRIVATE KEY-----\n"

// kinds is a credential of each kind.
func kinds() map[credentials.Kind]string {
	return map[credentials.Kind]string{
		credentials.KindBearer:            `{"kind":"bearer","access_token":"canary-1","hosts":["api.example.com","*.example.org"]}`,
		credentials.KindBasic:             `{"kind":"basic","username":"ann","password":"canary 1","hosts":["api.example.com:8443"]}`,
		credentials.KindHeader:            `{"kind":"header","name":"X-Api-Key","value":"canary-1","hosts":["http://127.0.0.1:8080"]}`,
		credentials.KindQuery:             `{"kind":"query","name":"key","value":"canary-1","hosts":["maps.example.com"]}`,
		credentials.KindOAuth:             `{"kind":"oauth2","access_token":"canary-1","refresh_token":"canary-2","expires_at":"2030-01-02T12:00:00Z","scope":"a b"}`,
		credentials.KindClientCredentials: `{"kind":"client_credentials","token_url":"https://login.example.com/token","client_id":"me","client_secret":"canary-1","scopes":"a b","hosts":["api.example.com"]}`,
		credentials.KindPassword:          `{"kind":"password","password":"canary-1"}`,
		credentials.KindHMAC:              `{"kind":"hmac","secret":"canary-1"}`,
		credentials.KindKey:               `{"kind":"key","pem":` + quoted(testPEM) + `}`,
		credentials.KindDSN:               `{"kind":"dsn","dsn":"postgres://ann:canary-1@db.example.com/x?sslmode=require"}`,
	}
}

func quoted(text string) string {
	q, _ := json.Marshal(text)
	return string(q)
}

// What is parsed is kept as it was written, in every kind.
func TestKinds(t *testing.T) {
	require.Len(t, kinds(), len(credentials.Kinds()))
	for _, kind := range credentials.Kinds() {
		text := kinds()[kind]
		c, err := credentials.Parse(text)
		require.NoError(t, err, kind)
		require.Equal(t, kind, c.Kind)
		require.NotEmpty(t, c.Secrets(), kind)
		all, err := c.Fields()
		require.NoError(t, err)
		kept, err := json.Marshal(all)
		require.NoError(t, err)
		require.JSONEq(t, text, string(kept))
		again, err := credentials.Parse(string(kept))
		require.NoError(t, err)
		require.Equal(t, c, again)
		names := map[string]bool{}
		for _, field := range kind.Fields() {
			names[field.Name] = true
		}
		for name := range all {
			require.True(t, name == "kind" || name == "hosts" || names[name], name)
		}
	}
	c, err := credentials.Parse(kinds()[credentials.KindDSN])
	require.NoError(t, err)
	require.Contains(t, c.Secrets(), credentials.NewSecret("canary-1"), "the password alone, too")
	c, err = credentials.Parse(kinds()[credentials.KindKey])
	require.NoError(t, err)
	require.Contains(t, c.Secrets(), credentials.NewSecret(strings.Split(testPEM, "\n")[1]), "its lines, too")
}

// Credentials that can never work are refused when they are read. No error quotes
// anything of it.
func TestKindMistakes(t *testing.T) {
	for text, says := range map[string]string{
		`{"kind":"canary","access_token":"canary"}`:                  "kind is none of bearer, basic",
		`{"kind":"","access_token":"canary"}`:                        "kind is none of",
		`{"kind":7}`:                                                 "kind",
		`{"kind":"bearer","token":"canary"}`:                         "has access_token and hosts",
		`{"kind":"bearer","access_token":"canary","canary":1}`:       "a field that a credential of the kind bearer does not have",
		`{"kind":"bearer","access_token":"canary\n"}`:                "access_token: it contains a line end",
		`{"kind":"bearer","access_token":["canary"]}`:                "access_token: expected a string",
		`{"kind":"bearer"}`:                                          "access_token: it is missing",
		`{"kind":"basic","username":"a:canary","password":"canary"}`: "username",
		`{"kind":"basic","password":"canary"}`:                       "username: it is missing",
		`{"kind":"basic","username":"","password":""}`:               "password: it is missing",
		`{"kind":"bearer","access_token":"Bearer canary"}`:           `the word "Bearer"`,
		`{"access_token":"bearer canary"}`:                           `the word "Bearer"`,
		`BEARER canary`:                                              `the word "Bearer"`,
		"canary\u200b":                                               "U+200B",
		"\u00a0canary":                                               "U+00A0",
		`{"kind":"hmac","secret":"canary\u2060"}`:                    "secret: it begins or ends with an invisible character, U+2060",
		" canary":                           "white space",
		`{"kind":"basic","username":"ann"}`: "password: it is missing",
		`{"kind":"header","name":"canary canary","value":"canary"}`:                                                  "name",
		`{"kind":"header","name":"Content-Length","value":"canary"}`:                                                 "name",
		`{"kind":"header","name":"Host","value":"canary"}`:                                                           "name",
		`{"kind":"header","name":"X-Key","value":"canary\r\nX: y"}`:                                                  "value",
		`{"kind":"query","value":"canary"}`:                                                                          "name",
		`{"kind":"client_credentials","token_url":"http://canary.example","client_id":"x","client_secret":"canary"}`: "token_url",
		`{"kind":"client_credentials","token_url":"https://a.example","client_secret":"canary"}`:                     "client_id",
		`{"kind":"client_credentials","token_url":"https://a.example","client_id":"canary"}`:                         "client_secret",
		`{"kind":"key","pem":"canary"}`:                                                                              "pem",
		`{"kind":"hmac"}`:                                                                                            "secret",
		`{"kind":"dsn","dsn":""}`:                                                                                    "dsn",
		`{"kind":"oauth2","access_token":"canary","expires_at":"canary"}`:                                            "expires_at",
		`{"kind":"bearer","access_token":"canary","hosts":["https://canary.example"]}`:                               "hosts: one is no host",
		`{"kind":"bearer","access_token":"canary","hosts":["*.canary"]}`:                                             "hosts: one would be",
		`{"kind":"bearer","access_token":"canary","hosts":{"canary":1}}`:                                             "hosts: expected a string",
		`{"access_token":"canary","hosts":["canary/x"]}`:                                                             "hosts",
		`{"kind":"bearer","access_token":"canary"`:                                                                   "bad JSON",
	} {
		_, err := credentials.Parse(text)
		require.ErrorContains(t, err, says, text)
		require.NotContains(t, err.Error(), "canary", text)
	}
}

func TestCredentialsAsPeopleHaveThem(t *testing.T) {
	for text, want := range map[string]credentials.Credential{
		"\ufefftoken": {Access: credentials.NewSecret("token")},
		"\ufeff" + `{"kind":"bearer","access_token":"t"}`:  {Kind: credentials.KindBearer, Access: credentials.NewSecret("t")},
		`{"kind":"basic","username":"sk_1","password":""}`: {Kind: credentials.KindBasic, User: "sk_1"},
		`{"kind":"basic","username":"","password":"key"}`:  {Kind: credentials.KindBasic, Access: credentials.NewSecret("key")},
		"bearerless":    {Access: credentials.NewSecret("bearerless")},
		"a pass phrase": {Access: credentials.NewSecret("a pass phrase")},
	} {
		got, err := credentials.Parse(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got)
		if got.Kind == "" {
			continue
		}
		fields, err := got.Fields()
		require.NoError(t, err)
		again, err := json.Marshal(fields)
		require.NoError(t, err)
		got, err = credentials.Parse(string(again))
		require.NoError(t, err, again)
		require.Equal(t, want, got, "stored and read again")
	}
}

// A credential of the network http has to say where it may be sent.
func TestCheckFor(t *testing.T) {
	table := network.Shipped()
	http, ok := table.Lookup("http")
	require.True(t, ok)
	pronet, ok := table.Lookup("pronet")
	require.True(t, ok)
	bare, err := credentials.Parse("canary")
	require.NoError(t, err)
	require.NoError(t, bare.CheckFor(pronet))
	err = bare.CheckFor(http)
	require.ErrorContains(t, err, "a bare text does not say where it may be sent")
	require.NotContains(t, err.Error(), "canary")
	noHosts, err := credentials.Parse(`{"kind":"bearer","access_token":"canary"}`)
	require.NoError(t, err)
	require.ErrorContains(t, noHosts.CheckFor(http), "hosts")
	require.NoError(t, noHosts.CheckFor(pronet))
	signs, err := credentials.Parse(kinds()[credentials.KindHMAC])
	require.NoError(t, err)
	require.NoError(t, signs.CheckFor(http), "it is not sent")
}

func FuzzParse(f *testing.F) {
	for _, text := range kinds() {
		f.Add(text)
	}
	f.Add("bare")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := credentials.Parse(text)
		if err != nil {
			return
		}
		all, err := c.Fields()
		require.NoError(t, err)
		kept, err := json.Marshal(all)
		require.NoError(t, err)
		again, err := credentials.Parse(string(kept))
		require.NoError(t, err, string(kept))
		require.Equal(t, c.Access, again.Access)
		require.Equal(t, c.Kind, again.Kind)
	})
}
