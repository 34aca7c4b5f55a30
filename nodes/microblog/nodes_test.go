package microblog_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/microblog"
	"github.com/svcflow/svc/nodes/nodetest"
	"github.com/svcflow/svc/nodes/service"
	"github.com/svcflow/svc/nodes/service/servicetest"
)

type values = map[string]any

func TestRules(t *testing.T) {
	nodetest.Check(t, microblog.New(service.Config{}))
	configs := map[string][]values{}
	for _, name := range []string{
		"post_tweet", "get_timeline", "get_trending", "search_tweets", "like_tweet", "retweet", "send_dm", "get_user_info",
	} {
		configs["microblog."+name] = []values{{"credential": ref}}
	}
	nodetest.Quick(t, microblog.New(servicetest.Config(t.Context(), "microblog", &servicetest.Stub{})), configs)
}

// host returns a host of the nodes, with stub as the network.
func host(t *testing.T, stub *servicetest.Stub) *nodetest.Host {
	t.Helper()
	return nodetest.New(t, microblog.New(servicetest.Config(t.Context(), "microblog", stub)))
}

const fields = "expansions=author_id"

// Each node sends the request in the specification, and converts the response.
func TestNodes(t *testing.T) {
	servicetest.Examples(t, "microblog", microblog.New, nil, []servicetest.Example{
		{
			Type:     "microblog.post_tweet",
			Inputs:   values{"text": "Hello & 漢"},
			Answers:  map[string]string{"POST /2/tweets": `{"data":{"id":"1890000000000000001","text":"Hello"}}`},
			Requests: []string{"POST /2/tweets"},
			Body:     `{"text":"Hello & 漢"}`,
			Outputs:  values{"tweet_id": "1890000000000000001", "success": true, "error": nil},
		},
		{
			Type:     "microblog.post_tweet",
			Inputs:   values{"text": "", "media_ids": []any{"12", "13"}},
			Answers:  map[string]string{"POST /2/tweets": `{"data":{"id":"1"}}`},
			Requests: []string{"POST /2/tweets"},
			Body:     `{"text":"","media":{"media_ids":["12","13"]}}`,
			Outputs:  values{"tweet_id": "1", "success": true, "error": nil},
		},
		{
			Type:   "microblog.get_timeline",
			Inputs: values{"limit": 2},
			Answers: map[string]string{
				"GET /2/users/me": `{"data":{"id":"7"}}`,
				"GET /2/users/7/timelines/reverse_chronological": `{"data":[
					{"id":"1","text":"hi","author_id":"12","created_at":"2026-11-20T10:00:00.000Z","public_metrics":{"like_count":5}},
					{"id":"2","text":"ho","author_id":"13"}],
					"includes":{"users":[{"id":"12","username":"xdev"}]},"meta":{"result_count":2,"next_token":"n"},
					"errors":[{"title":"Not Found Error","type":"https://api.x.com/2/problems/resource-not-found"}]}`,
			},
			Requests: []string{
				"GET /2/users/me",
				"GET /2/users/7/timelines/reverse_chronological?" + fields +
					"&max_results=2&tweet.fields=created_at%2Cpublic_metrics%2Cauthor_id&user.fields=username",
			},
			Outputs: values{"count": 2, "tweets": []any{
				values{"id": "1", "author": "xdev", "text": "hi", "likes": 5, "timestamp": "2026-11-20T10:00:00.000Z"},
				values{"id": "2", "author": "13", "text": "ho", "likes": 0, "timestamp": ""},
			}},
		},
		{
			Type:     "microblog.get_trending",
			Inputs:   values{},
			Answers:  map[string]string{"GET /2/trends/search": `{"data":[{"trend_name":"#AI","tweet_count":30},{"name":"#Go"}]}`},
			Requests: []string{"GET /2/trends/search?max_trends=10&trend.fields=trend_name%2Ctweet_count"},
			Outputs:  values{"count": 2, "trends": []any{values{"name": "#AI", "tweet_count": 30}, values{"name": "#Go", "tweet_count": nil}}},
		},
		{
			Type:   "microblog.search_tweets",
			Inputs: values{"query": "#go lang:en", "limit": 1},
			Answers: map[string]string{"GET /2/tweets/search/recent": `{"data":[
				{"id":"1","text":"a","author_id":"12","public_metrics":{"like_count":5,"repost_count":2,"reply_count":1,"quote_count":1}},
				{"id":"2","text":"b","author_id":"12"}],"meta":{"result_count":2}}`},
			Requests: []string{"GET /2/tweets/search/recent?" + fields +
				"&max_results=10&query=%23go+lang%3Aen&tweet.fields=created_at%2Cpublic_metrics%2Cauthor_id&user.fields=username"},
			Outputs: values{"count": 1, "tweets": []any{values{"id": "1", "author": "12", "text": "a", "engagement": 9}}},
		},
		{
			Type:     "microblog.like_tweet",
			Inputs:   values{"tweet_id": "5"},
			Answers:  map[string]string{"POST /2/tweets/5/liking_by": `{"data":{"liked":true}}`},
			Requests: []string{"POST /2/tweets/5/liking_by"},
			Body:     `{"tweet_id":"5"}`,
			Outputs:  values{"success": true, "error": nil},
		},
		{
			Type:     "microblog.like_tweet",
			Inputs:   values{"tweet_id": "5"},
			Answers:  map[string]string{"POST /2/tweets/5/liking_by": `{"data":{"liked":false}}`},
			Requests: []string{"POST /2/tweets/5/liking_by"},
			Body:     `{"tweet_id":"5"}`,
			Outputs:  values{"success": false, "error": "microblog like_tweet: the network did not do it and does not say why"},
		},
		{
			Type:     "microblog.retweet",
			Inputs:   values{"tweet_id": "5"},
			Answers:  map[string]string{"POST /2/tweets/5/retweeted_by": `{"data":{"retweeted":true,"rest_id":"9"}}`},
			Requests: []string{"POST /2/tweets/5/retweeted_by"},
			Body:     `{"tweet_id":"5"}`,
			Outputs:  values{"success": true, "error": nil},
		},
		{
			Type:     "microblog.send_dm",
			Inputs:   values{"recipient_id": "12", "text": "hi"},
			Answers:  map[string]string{"POST /2/dm_conversations/with/12/dm_events": `{"data":{"dm_conversation_id":"1-2","dm_event_id":"77"}}`},
			Requests: []string{"POST /2/dm_conversations/with/12/dm_events"},
			Body:     `{"text":"hi"}`,
			Outputs:  values{"message_id": "77", "success": true, "error": nil},
		},
		{
			Type:   "microblog.get_user_info",
			Inputs: values{"username": "@xdev"},
			Answers: map[string]string{"GET /2/users/by/username/xdev": `{"data":{"id":"12","name":"X Dev","description":"Dev.","verified":true,
				"public_metrics":{"followers_count":512}}}`},
			Requests: []string{"GET /2/users/by/username/xdev?user.fields=description%2Cpublic_metrics%2Cverified%2Cverified_type"},
			Outputs:  values{"id": "12", "name": "X Dev", "followers_count": 512, "verified": true, "bio": "Dev."},
		},
	})
}

// Inputs that cannot succeed are refused without a request.
func TestRefusedBeforeTheCall(t *testing.T) {
	servicetest.Refusals(t, "microblog", microblog.New, []servicetest.Refusal{
		{Type: "microblog.post_tweet", Inputs: values{"text": " "}, Message: "text is empty"},
		{Type: "microblog.post_tweet", Inputs: values{"text": strings.Repeat("漢", 141)}, Message: "weighs 282"},
		{Type: "microblog.post_tweet", Inputs: values{"text": strings.Repeat("a", 1<<20)}, Message: "far too long"},
		{Type: "microblog.post_tweet", Inputs: values{"text": "a", "media_ids": []any{"1", "2", "3", "4", "5"}}, Message: "5 ids"},
		{Type: "microblog.post_tweet", Inputs: values{"text": "a", "media_ids": []any{"x"}}, Message: "media_ids is no id"},
		{Type: "microblog.like_tweet", Inputs: values{"tweet_id": "../../2/tweets"}, Message: "tweet_id is no id"},
		{Type: "microblog.retweet", Inputs: values{"tweet_id": "12345678901234567890"}, Message: "tweet_id is no id"},
		{Type: "microblog.send_dm", Inputs: values{"recipient_id": "a", "text": "hi"}, Message: "recipient_id is no id"},
		{Type: "microblog.send_dm", Inputs: values{"recipient_id": "1", "text": ""}, Message: "text is empty"},
		{Type: "microblog.get_user_info", Inputs: values{"username": "a/b"}, Message: "username is no name"},
		{Type: "microblog.search_tweets", Inputs: values{"query": ""}, Message: "query has 0 characters"},
		{Type: "microblog.search_tweets", Inputs: values{"query": "a", "limit": 0}, Message: "limit is 0"},
		{Type: "microblog.get_timeline", Inputs: values{"limit": 501}, Message: "limit is 501"},
		{Type: "microblog.get_trending", Inputs: values{"limit": -1}, Message: "limit is -1"},
	})
}

func TestPages(t *testing.T) {
	page := func(ids, next string) servicetest.Answer {
		var data []string
		for id := range strings.FieldsSeq(ids) {
			data = append(data, `{"id":"`+id+`"}`)
		}
		return servicetest.JSON(http.StatusOK, `{"data":[`+strings.Join(data, ",")+`],"meta":{"next_token":"`+next+`"}}`)
	}
	tests := []struct {
		name  string
		limit int
		pages []servicetest.Answer
		count int
		sizes []string // requested page sizes
	}{
		{
			"until there are enough", 13,
			[]servicetest.Answer{page("1 2 3 4 5 6 7 8 9 10 11", "b"), page("12 13 14 15", "c")},
			13,
			[]string{"max_results=13&", "max_results=10&next_token=b&"},
		},
		{
			"until the last", 300,
			[]servicetest.Answer{page("1 2", "b"), page("3", "")},
			3,
			[]string{"max_results=100&", "max_results=100&next_token=b&"},
		},
		{
			"an empty page", 300,
			[]servicetest.Answer{page("1 2", "b"), page("", "c")},
			2,
			[]string{"max_results=100&", "max_results=100&next_token=b&"},
		},
		{
			"round in circles", 300,
			[]servicetest.Answer{page("1", "b"), page("2", "b")},
			2,
			[]string{"max_results=100&", "max_results=100&next_token=b&"},
		},
		{"nothing", 10, []servicetest.Answer{servicetest.JSON(200, `{"meta":{"result_count":0}}`)}, 0, []string{"max_results=10&"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			stub := &servicetest.Stub{Script: tt.pages}
			out, err := host(t, stub).Exec("microblog.search_tweets", nil, values{"credential": ref, "query": "go", "limit": tt.limit})
			require.NoError(t, err)
			require.Equal(t, tt.count, out["count"])
			require.Len(t, out["tweets"], tt.count)
			require.Len(t, stub.Requests(), len(tt.sizes))
			for i, r := range stub.Requests() {
				require.Contains(t, r.Line, tt.sizes[i])
			}
		})
	}
}

func TestAListIsNeverSilentlyShort(t *testing.T) {
	stub := &servicetest.Stub{Script: []servicetest.Answer{
		servicetest.JSON(200, `{"data":[{"id":"1"}],"meta":{"next_token":"b"}}`), servicetest.JSON(403, `{"detail":"No more"}`),
	}}
	_, err := host(t, stub).Exec("microblog.search_tweets", nil, values{"credential": ref, "query": "go", "limit": 20})
	require.Equal(t, node.CodeForbidden, node.CodeOf(err))
	require.ErrorContains(t, err, "1 items had been read")
}

func TestWhatIsNotThereIsSaidPlainly(t *testing.T) {
	missing := `{"errors":[{"title":"Not Found Error","detail":"Could not find user","type":"https://api.x.com/2/problems/resource-not-found"}]}`
	stub := &servicetest.Stub{Script: []servicetest.Answer{servicetest.JSON(200, missing)}}
	_, err := host(t, stub).Exec("microblog.get_user_info", nil, values{"credential": ref, "username": "nobody"})
	require.Equal(t, service.CodeNotFound, node.CodeOf(err))
	require.True(t, node.IsPermanent(err))
	require.ErrorContains(t, err, "there is no user @nobody")

	stub = &servicetest.Stub{Script: []servicetest.Answer{servicetest.JSON(404, `{}`)}}
	out, err := host(t, stub).Exec("microblog.like_tweet", nil, values{"credential": ref, "tweet_id": "5"})
	require.NoError(t, err)
	require.Contains(t, out["error"], "there is no post 5; it may have been removed")
}

func TestDuplicatePostIsNoSuccess(t *testing.T) {
	stub := &servicetest.Stub{Script: []servicetest.Answer{
		servicetest.JSON(403, `{"detail":"You are not allowed to create a Tweet with duplicate content.","title":"Forbidden"}`),
	}}
	out, err := host(t, stub).Exec("microblog.post_tweet", nil, values{"credential": ref, "text": "hi"})
	require.NoError(t, err)
	require.Equal(t, false, out["success"])
	require.Contains(t, out["error"], "done already")
	require.NotContains(t, out["error"], "scope")
}
