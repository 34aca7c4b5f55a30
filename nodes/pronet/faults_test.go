package pronet_test

import (
	"testing"

	"github.com/svcflow/svc/nodes/pronet"
	"github.com/svcflow/svc/nodes/service/servicetest"
)

// ref is the account of the tests.
const ref = "pronet:main"

func TestFaults(t *testing.T) {
	me := `{"id":"yrZ","localizedFirstName":"Bob","localizedLastName":"Smith"}`
	posts := `{"elements":[{"id":"urn:li:share:1","author":"urn:li:person:a","commentary":"hi"}],"paging":{"start":0,"count":10,"total":1}}`
	servicetest.Faults(t, "pronet", pronet.New, []servicetest.Case{
		{
			Type: "pronet.fetch_profile", Inputs: map[string]any{"credential": ref},
			Main: "GET /me", Answers: map[string]string{"GET /me": me},
		},
		{
			Type: "pronet.post_feed", Inputs: map[string]any{"credential": ref, "text": "hi"},
			Main: "POST /ugcPosts", Answers: map[string]string{"GET /me": me, "POST /ugcPosts": `{"id":"urn:li:share:1"}`},
			Acts: true, Once: true,
		},
		{
			Type: "pronet.get_feed", Inputs: map[string]any{"credential": ref},
			Main: "GET /feed", Answers: map[string]string{"GET /feed": posts},
		},
		{
			Type: "pronet.get_connections", Inputs: map[string]any{"credential": ref},
			Main:    "GET /relationships/connections",
			Answers: map[string]string{"GET /relationships/connections": `{"elements":[{"to":"urn:li:person:a"}],"paging":{"total":1}}`},
		},
		{
			Type: "pronet.send_message", Inputs: map[string]any{"credential": ref, "recipient_id": "a1", "message": "hi"},
			Main:    "POST /messaging/conversations/a1/events",
			Answers: map[string]string{"POST /messaging/conversations/a1/events": `{"id":"m1"}`},
			Acts:    true, Once: true,
		},
		{
			Type: "pronet.like_post", Inputs: map[string]any{"credential": ref, "post_id": "urn:li:share:1"},
			Main: "POST /likes", Answers: map[string]string{"GET /me": me, "POST /likes": `{}`},
			Acts: true,
		},
		{
			Type: "pronet.search_posts", Inputs: map[string]any{"credential": ref, "query": "go"},
			Main: "GET /search/queries", Answers: map[string]string{"GET /search/queries": posts},
		},
	})
}
