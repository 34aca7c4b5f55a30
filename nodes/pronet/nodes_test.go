package pronet_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/nodetest"
	"github.com/svcflow/svc/nodes/pronet"
	"github.com/svcflow/svc/nodes/service"
	"github.com/svcflow/svc/nodes/service/servicetest"
)

type values = map[string]any

func TestRules(t *testing.T) {
	nodetest.Check(t, pronet.New(service.Config{}))
	configs := map[string][]values{}
	for _, name := range []string{
		"fetch_profile", "post_feed", "get_feed", "get_connections", "send_message", "like_post", "search_posts",
	} {
		configs["pronet."+name] = []values{{"credential": ref}}
	}
	nodetest.Quick(t, pronet.New(servicetest.Config(t.Context(), "pronet", &servicetest.Stub{})), configs)
}

// host returns a host of the nodes, with stub as the network. web downloads images, and set
// overrides the operator's settings.
func host(t *testing.T, stub *servicetest.Stub, web http.RoundTripper, set values) *nodetest.Host {
	t.Helper()
	config := servicetest.Config(t.Context(), "pronet", stub)
	getenv := config.Getenv
	config.Getenv = func(name string) string {
		if text, ok := set[name].(string); ok {
			return text
		}
		return getenv(name)
	}
	if web != nil {
		config.Web = &http.Client{Transport: web}
	}
	c, err := config.Credentials.Credential(t.Context(), ref)
	require.NoError(t, err)
	c.Revision = 0
	require.NoError(t, config.Credentials.SetCredential(t.Context(), "pronet:company", c))
	return nodetest.New(t, pronet.New(config))
}

const (
	me      = `{"id":"yrZ","localizedFirstName":"Bob","localizedLastName":"Smith"}`
	profile = `{"id":"yrZ","firstName":{"localized":{"en_US":"Bob","de_DE":"Robert"},"preferredLocale":{"country":"DE","language":"de"}},
		"lastName":{"localized":{"en_US":"Smith"}},"headline":"Engineer","profilePicture":{"displayImage":"urn:li:digitalmediaAsset:C4D",
		"displayImage~":{"elements":[
			{"data":{"com.linkedin.digitalmedia.mediaartifact.StillImage":{"storageSize":{"width":100}}},"identifiers":[{"identifier":"https://media.example/a.jpg"}]},
			{"data":{"com.linkedin.digitalmedia.mediaartifact.StillImage":{"storageSize":{"width":400}}},"identifiers":[{"identifier":"https://media.example/b.jpg"}]}]}}}`
	posts = `{"elements":[
		{"id":"urn:li:share:1","author":"urn:li:person:a","created":{"time":1700000000000,"actor":"x"},
			"specificContent":{"com.linkedin.ugc.ShareContent":{"shareCommentary":{"text":"first"}}},
			"socialSummary":{"likesSummary":{"totalLikes":3},"commentsSummary":{"totalFirstLevelComments":2}},"shareCount":1},
		{"id":"urn:li:share:2","author":"urn:li:person:b","author~":{"localizedFirstName":"Ann","localizedLastName":"Lee"},
			"commentary":"second","publishedAt":1700000001000,"engagement":7},
		{"id":"3","actor":"Zoe","text":"third","created":1700000002000}],
		"paging":{"start":0,"count":10,"total":3}}`
)

// Each node sends the request in the specification, and converts the response.
func TestNodes(t *testing.T) {
	servicetest.Examples(t, "pronet", pronet.New, map[string]string{"X-Restli-Protocol-Version": "2.0.0"}, []servicetest.Example{
		{
			Type:     "pronet.fetch_profile",
			Inputs:   values{},
			Answers:  map[string]string{"GET /me": profile},
			Requests: []string{"GET /me?projection=%28id%2ClocalizedFirstName%2ClocalizedLastName%2ClocalizedHeadline%2CprofilePicture%28displayImage~%3AplayableStreams%29%29"},
			Outputs:  values{"id": "yrZ", "name": "Robert Smith", "headline": "Engineer", "picture_url": "https://media.example/b.jpg"},
		},
		{
			Type:     "pronet.post_feed",
			Inputs:   values{"text": "Hello (all)"},
			Answers:  map[string]string{"GET /me": me, "POST /ugcPosts": `{"id":"urn:li:share:9"}`},
			Requests: []string{"GET /me", "POST /ugcPosts"},
			Body: `{"author":"urn:li:person:yrZ","lifecycleState":"PUBLISHED","specificContent":{"com.linkedin.ugc.ShareContent":{
				"shareCommentary":{"text":"Hello (all)"},"shareMediaCategory":"NONE"}},
				"visibility":{"com.linkedin.ugc.MemberNetworkVisibility":"PUBLIC"}}`,
			Outputs: values{"post_id": "urn:li:share:9", "success": true, "error": nil},
		},
		{
			Type:     "pronet.get_feed",
			Inputs:   values{},
			Answers:  map[string]string{"GET /feed": posts},
			Requests: []string{"GET /feed?count=10&start=0"},
			Outputs: values{"count": 3, "posts": []any{
				values{"id": "urn:li:share:1", "author": "urn:li:person:a", "text": "first", "timestamp": "2023-11-14T22:13:20Z"},
				values{"id": "urn:li:share:2", "author": "Ann Lee", "text": "second", "timestamp": "2023-11-14T22:13:21Z"},
				values{"id": "3", "author": "Zoe", "text": "third", "timestamp": "2023-11-14T22:13:22Z"},
			}},
		},
		{
			Type:   "pronet.get_connections",
			Inputs: values{"limit": 50},
			Answers: map[string]string{"GET /relationships/connections": `{"elements":[{"to":"urn:li:person:9Hf"},
				{"to":"urn:li:person:b","to~":{"id":"b","localizedFirstName":"Ann","localizedLastName":"Lee","localizedHeadline":"CTO"}},
				{"id":"c","name":"Zoe","headline":"Cook"}],"paging":{"total":3}}`},
			Requests: []string{"GET /relationships/connections?count=50&projection=%28elements%2A%28to~%28id%2ClocalizedFirstName%2ClocalizedLastName%2C" +
				"localizedHeadline%29%29%2Cpaging%29&start=0"},
			Outputs: values{"count": 3, "connections": []any{
				values{"id": "9Hf", "name": "", "headline": ""},
				values{"id": "b", "name": "Ann Lee", "headline": "CTO"},
				values{"id": "c", "name": "Zoe", "headline": "Cook"},
			}},
		},
		{
			Type:     "pronet.send_message",
			Inputs:   values{"recipient_id": "9Hf", "message": "hi"},
			Answers:  map[string]string{"POST /messaging/conversations/9Hf/events": `{"value":{"eventUrn":"urn:li:event:1"}}`},
			Requests: []string{"POST /messaging/conversations/9Hf/events"},
			Body:     `{"recipients":["urn:li:person:9Hf"],"body":"hi","messageType":"MEMBER_TO_MEMBER"}`,
			Outputs:  values{"message_id": "urn:li:event:1", "success": true, "error": nil},
		},
		{
			Type:     "pronet.like_post",
			Inputs:   values{"post_id": "123"},
			Answers:  map[string]string{"GET /me": me, "POST /likes": ``},
			Requests: []string{"GET /me", "POST /likes"},
			Body:     `{"actor":"urn:li:person:yrZ","object":"urn:li:share:123"}`,
			Outputs:  values{"success": true, "error": nil},
		},
		{
			Type:     "pronet.search_posts",
			Inputs:   values{"query": "workflow engine", "limit": 2},
			Answers:  map[string]string{"GET /search/queries": posts},
			Requests: []string{"GET /search/queries?count=2&keywords=workflow+engine&q=keywords&start=0"},
			Outputs: values{"count": 2, "posts": []any{
				values{"id": "urn:li:share:1", "author": "urn:li:person:a", "text": "first", "engagement_count": 6},
				values{"id": "urn:li:share:2", "author": "Ann Lee", "text": "second", "engagement_count": 7},
			}},
		},
	})
}

// In the live profile, supported calls have the requests of the real network, and
// unsupported calls send nothing.
func TestLiveCalls(t *testing.T) {
	live := values{"PRONET_API_URL": "https://api.linkedin.com"}
	answers := map[string]string{
		"GET /v2/me": me, "GET /v2/connections": `{"elements":[]}`, "POST /v2/messages": `{"id":"m"}`,
		"POST /v2/ugcPosts": `{"id":"p"}`, "POST /v2/socialActions/urn%3Ali%3Ashare%3A1/likes": `{}`,
	}
	tests := []struct {
		node, line string
		inputs     values
	}{
		{"fetch_profile", "GET /v2/me?projection=", values{}},
		{"post_feed", "POST /v2/ugcPosts", values{"text": "hi"}},
		{"get_connections", "GET /v2/connections?count=10&projection=", values{}},
		{"send_message", "POST /v2/messages", values{"recipient_id": "a", "message": "hi"}},
		{"like_post", "POST /v2/socialActions/urn%3Ali%3Ashare%3A1/likes", values{"post_id": "urn:li:share:1"}},
		{"get_feed", "", values{}},
		{"search_posts", "", values{"query": "a"}},
	}
	for _, tt := range tests {
		stub := &servicetest.Stub{Answers: answers}
		tt.inputs["credential"] = ref
		_, err := host(t, stub, nil, live).Exec("pronet."+tt.node, nil, tt.inputs)
		if tt.line == "" {
			require.Equal(t, service.CodeNotOffered, node.CodeOf(err))
			require.ErrorContains(t, err, "the network's public API does not offer")
			require.Empty(t, stub.Requests())
			continue
		}
		require.NoError(t, err, tt.node)
		require.Equal(t, 1, stub.Count(tt.line), tt.node)
	}
}

func TestRefusedBeforeTheCall(t *testing.T) {
	servicetest.Refusals(t, "pronet", pronet.New, []servicetest.Refusal{
		{Type: "pronet.post_feed", Inputs: values{"text": " \n"}, Message: "a post may have 1 to 3000"},
		{Type: "pronet.post_feed", Inputs: values{"text": strings.Repeat("👋", 1501)}, Message: "text has 3002 characters"},
		{Type: "pronet.like_post", Inputs: values{"post_id": "../me"}, Message: "post_id is no id"},
		{Type: "pronet.send_message", Inputs: values{"recipient_id": "a/b", "message": "hi"}, Message: "recipient_id is no id"},
		{Type: "pronet.send_message", Inputs: values{"recipient_id": "a", "message": ""}, Message: "message is empty"},
		{Type: "pronet.search_posts", Inputs: values{"query": " "}, Message: "query is empty"},
		{Type: "pronet.get_feed", Inputs: values{"limit": 0}, Message: "limit is 0"},
		{Type: "pronet.get_connections", Inputs: values{"limit": 501}, Message: "limit is 501"},
	})
}

// A page may have fewer items than requested and not be the last. The next page begins
// where it ended.
func TestPages(t *testing.T) {
	page := func(ids, total string) servicetest.Answer {
		var elements []string
		for id := range strings.FieldsSeq(ids) {
			elements = append(elements, `{"id":"`+id+`"}`)
		}
		return servicetest.JSON(200, `{"elements":[`+strings.Join(elements, ",")+`],"paging":{"total":`+total+`}}`)
	}
	stub := &servicetest.Stub{Script: []servicetest.Answer{page("1 2 3", "5"), page("4", "5"), page("5", "5")}}
	out, err := host(t, stub, nil, nil).Exec("pronet.get_feed", nil, values{"credential": ref, "limit": 60})
	require.NoError(t, err)
	require.Equal(t, 5, out["count"])
	for i, line := range []string{"count=50&start=0", "count=50&start=3", "count=50&start=4"} {
		require.Equal(t, "GET /feed?"+line, stub.Requests()[i].Line)
	}
}

func TestTheCompanyPostsAsItsOrganisation(t *testing.T) {
	inputs := values{"credential": "pronet:company", "text": "hi"}
	stub := &servicetest.Stub{Answers: map[string]string{"GET /me": me, "POST /ugcPosts": `{}`}}
	out, err := host(t, stub, nil, values{"PRONET_COMPANY_URN": "urn:li:organization:42"}).Exec("pronet.post_feed", nil, inputs)
	require.NoError(t, err)
	require.Equal(t, values{"post_id": nil, "success": true, "error": nil}, out)
	require.Len(t, stub.Requests(), 1)
	require.Contains(t, stub.Requests()[0].Body, `"author":"urn:li:organization:42"`)

	for urn, message := range map[string]string{"": "set PRONET_COMPANY_URN", "42": "has to be a URN"} {
		stub = &servicetest.Stub{}
		_, err = host(t, stub, nil, values{"PRONET_COMPANY_URN": urn}).Exec("pronet.post_feed", nil, inputs)
		require.Equal(t, service.CodeNotConfigured, node.CodeOf(err))
		require.ErrorContains(t, err, message)
		require.Empty(t, stub.Requests())
	}
}

func TestForbiddenNamesTheScope(t *testing.T) {
	tests := []struct {
		granted []string
		message string
	}{
		{nil, "if its token lacks the scope w_organization_social, add that to PRONET_SCOPES"},
		{[]string{"openid"}, "the token lacks the scope w_organization_social; add it to PRONET_SCOPES"},
		{[]string{"w_organization_social"}, "the account may not do this (403"},
	}
	for _, tt := range tests {
		stub := &servicetest.Stub{Script: []servicetest.Answer{servicetest.JSON(403, `{"message":"Not enough permissions","serviceErrorCode":100}`)}}
		config := servicetest.Config(t.Context(), "pronet", stub)
		config.Credentials = servicetest.Hold(context.Background(), "pronet:company", tt.granted...)
		getenv := config.Getenv
		config.Getenv = func(name string) string {
			if name == "PRONET_COMPANY_URN" {
				return "urn:li:organization:42"
			}
			return getenv(name)
		}
		out, err := nodetest.New(t, pronet.New(config)).Exec("pronet.post_feed", nil, values{"credential": "pronet:company", "text": "hi"})
		require.NoError(t, err)
		require.Contains(t, out["error"], tt.message)
		require.Contains(t, out["error"], "Not enough permissions")
	}
}
