package oauth_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/oauth"
	"github.com/svcflow/svc/credentials/oauth/oauthtest"
)

// says is a token endpoint that always sends the same response.
func says(status int, body string, contentType ...string) func(http.ResponseWriter, *http.Request) bool {
	return func(w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("Content-Type", strings.Join(append(contentType, "application/json")[:1], ""))
		w.Header().Set("Location", "http://localhost/token?canary")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
		return true
	}
}

func TestTokenAnswers(t *testing.T) {
	for name, test := range map[string]struct {
		status int
		body   string
		want   error
		says   string
	}{
		"invalid grant":  {400, `{"error":"invalid_grant","error_description":"canary"}`, credentials.ErrReauthorize, "connect the account again"},
		"invalid client": {401, `{"error":"invalid_client","error_description":"canary"}`, oauth.ErrRefused, "CLIENT_SECRET"},
		"unauthorized":   {401, `canary`, oauth.ErrRefused, "CLIENT_SECRET"},
		"other code":     {400, `{"error":"invalid_scope"}`, oauth.ErrRefused, "status 400 (invalid_scope)"},
		"odd code":       {400, `{"error":"canary canary"}`, oauth.ErrRefused, "status 400"},
		"error with 200": {200, `{"error":"invalid_grant"}`, credentials.ErrReauthorize, ""},
		"server error":   {500, `canary`, credentials.ErrUnavailable, "status 500"},
		"unavailable":    {503, `{"error":"invalid_grant"}`, credentials.ErrUnavailable, "status 503"},
		"too many":       {429, ``, credentials.ErrUnavailable, "status 429"},
		"busy":           {400, `{"error":"temporarily_unavailable"}`, credentials.ErrUnavailable, ""},
		"redirect":       {307, ``, oauth.ErrRefused, "status 307"},
		"no JSON":        {200, `<canary>`, oauth.ErrRefused, "no token"},
		"GitHub's code":  {200, `{"error":"bad_refresh_token","error_description":"canary"}`, credentials.ErrReauthorize, "connect the account again"},
		"Slack's code":   {200, `{"ok":false,"error":"invalid_refresh_token"}`, credentials.ErrReauthorize, ""},
		"invalid token":  {401, `{"error":"invalid_token"}`, credentials.ErrReauthorize, ""},
		"list":           {200, `["canary"]`, oauth.ErrRefused, "no token"},
		"no token":       {200, `{"refresh_token":"canary"}`, oauth.ErrRefused, "no token"},
		"other type":     {200, `{"access_token":"canary","token_type":"mac"}`, oauth.ErrRefused, "bearer"},
		"line end":       {200, `{"access_token":"canary\n"}`, oauth.ErrRefused, "control characters"},
		"too long":       {200, `{"access_token":"` + strings.Repeat("canary", 11_000) + `"}`, oauth.ErrRefused, "no token"},
	} {
		t.Run(name, func(t *testing.T) {
			requests := 0
			answer := says(test.status, test.body)
			network := &oauthtest.Network{Secret: "s"}
			network.Answer = func(w http.ResponseWriter, r *http.Request) bool {
				requests++
				return answer(w, r)
			}
			_, err := clientOf(t, network, nil).Refresh(t.Context(), network.Issue(time.Time{}))
			require.ErrorIs(t, err, test.want)
			require.ErrorContains(t, err, test.says)
			require.NotContains(t, err.Error(), "canary")
			require.Equal(t, 1, requests, "a refresh token goes out once")
		})
	}
}

func TestRefresh(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, test := range map[string]struct {
			body string
			want credentials.Credential
		}{
			"bare": {`{"access_token":"new"}`, credentials.Credential{Refresh: credentials.NewSecret("old"), Scopes: []string{"x"}}},
			"full": {
				`{"access_token":"new","refresh_token":"next","expires_in":7200,"scope":"a,b c"}`,
				credentials.Credential{Refresh: credentials.NewSecret("next"), Scopes: []string{"a", "b", "c"}, ExpiresAt: time.Now().Add(119 * time.Minute).UTC()},
			},
			"a float":     {`{"access_token":"new","expires_in":100.0}`, credentials.Credential{Refresh: credentials.NewSecret("old"), Scopes: []string{"x"}, ExpiresAt: time.Now().Add(90 * time.Second).UTC()}},
			"no lifetime": {`{"access_token":"new","expires_in":"","refresh_token":"next"}`, credentials.Credential{Refresh: credentials.NewSecret("next"), Scopes: []string{"x"}}},
			"strange":     {`{"access_token":"new","expires_in":{"a":1}}`, credentials.Credential{Refresh: credentials.NewSecret("old"), Scopes: []string{"x"}}},
			"a date":      {`{"access_token":"new","expires_in":1893456000000}`, credentials.Credential{Refresh: credentials.NewSecret("old"), Scopes: []string{"x"}}},
			"BearerToken": {`{"access_token":"new","token_type":"BearerToken"}`, credentials.Credential{Refresh: credentials.NewSecret("old"), Scopes: []string{"x"}}},
			"with a mark": {"\ufeff" + `{"access_token":"new"}`, credentials.Credential{Refresh: credentials.NewSecret("old"), Scopes: []string{"x"}}},
			"short": {
				`{"access_token":"new","expires_in":"100"}`,
				credentials.Credential{Refresh: credentials.NewSecret("old"), Scopes: []string{"x"}, ExpiresAt: time.Now().Add(90 * time.Second).UTC()},
			},
		} {
			network := &oauthtest.Network{Answer: says(200, test.body, "text/plain; charset=utf-8")}
			old := credentials.Credential{
				Access: credentials.NewSecret("a"), Refresh: credentials.NewSecret("old"), Scopes: []string{"x"}, Revision: 7,
			}
			got, err := clientOf(t, network, nil).Refresh(t.Context(), old)
			require.NoError(t, err, name)
			test.want.Access, test.want.Revision = credentials.NewSecret("new"), 7
			require.Equal(t, test.want, got, name)
		}
	})
}

func TestRefreshWithoutRefreshToken(t *testing.T) {
	_, err := clientOf(t, &oauthtest.Network{}, nil).Refresh(t.Context(), credentials.Credential{Access: credentials.NewSecret("a")})
	require.ErrorIs(t, err, credentials.ErrReauthorize)
}

func TestSilentNetwork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network := &oauthtest.Network{Answer: func(_ http.ResponseWriter, r *http.Request) bool {
			<-r.Context().Done()
			return true
		}}
		began := time.Now()
		_, err := clientOf(t, network, nil).Refresh(t.Context(), network.Issue(time.Time{}))
		require.ErrorIs(t, err, credentials.ErrUnavailable)
		require.ErrorContains(t, err, "no answer in time")
		require.Equal(t, 10*time.Second, time.Since(began))

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = clientOf(t, network, nil).Refresh(ctx, network.Issue(time.Time{}))
		require.ErrorIs(t, err, context.DeadlineExceeded)
	})
}

// No server listens on port 1.
func TestUnreachableNetwork(t *testing.T) {
	variables := (&oauthtest.Network{}).Settings("pronet", "http://127.0.0.1:1")
	client, err := oauth.NewClients(networks(), getenv(variables), nil).Client("pronet")
	require.NoError(t, err)
	old := credentials.Credential{Access: credentials.NewSecret("canary"), Refresh: credentials.NewSecret("canary")}
	_, err = client.Refresh(t.Context(), old)
	require.ErrorIs(t, err, credentials.ErrUnavailable)
	require.ErrorContains(t, err, "pronet cannot be reached: dial tcp 127.0.0.1:1")
	require.ErrorIs(t, client.Revoke(t.Context(), old), oauth.ErrNotRevoked)
}

func TestRevoke(t *testing.T) {
	for _, style := range []string{"basic", "body"} {
		network := &oauthtest.Network{Secret: "s e"}
		c := network.Issue(time.Time{})
		require.NoError(t, clientOf(t, network, map[string]string{"PRONET_AUTH_STYLE": style}).Revoke(t.Context(), c))
		require.False(t, network.Alive(c.Access))
		require.False(t, network.Alive(c.Refresh))
	}
	c := credentials.Credential{Access: credentials.NewSecret("a")}
	err := clientOf(t, &oauthtest.Network{}, map[string]string{"PRONET_REVOKE_URL": ""}).Revoke(t.Context(), c)
	require.ErrorIs(t, err, oauth.ErrNotRevoked, "the table knows no address")
	err = clientOf(t, &oauthtest.Network{}, map[string]string{"PRONET_REVOKE_URL": base + "/nothing"}).Revoke(t.Context(), c)
	require.ErrorContains(t, err, "status 404")
}

func TestCodesAreDistinct(t *testing.T) {
	seen := map[string]error{}
	for _, err := range []error{
		nil, oauth.ErrUnknownNetwork, oauth.ErrNotConfigured, oauth.ErrDenied, oauth.ErrState, oauth.ErrIssuer, oauth.ErrExpired, oauth.ErrTimeout,
		oauth.ErrRefused, oauth.ErrNotRevoked, context.Canceled, credentials.ErrNotFound, credentials.ErrReauthorize, credentials.ErrReadOnly,
		credentials.ErrConflict, credentials.ErrUnavailable, credentials.ErrMalformed, fmt.Errorf("another"),
	} {
		require.NotContains(t, seen, oauth.Code(err))
		seen[oauth.Code(err)] = err
	}
}
