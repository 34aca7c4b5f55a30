package microblog_test

import (
	"testing"

	"github.com/svcflow/svc/nodes/microblog"
	"github.com/svcflow/svc/nodes/service/servicetest"
)

// ref is the account of the tests.
const ref = "microblog:main"

func TestFaults(t *testing.T) {
	me := `{"data":{"id":"7","name":"Gopher","username":"gopher"}}`
	tweets := `{"data":[{"id":"1","text":"hi","author_id":"12"}],"meta":{"result_count":1}}`
	servicetest.Faults(t, "microblog", microblog.New, []servicetest.Case{
		{
			Type: "microblog.post_tweet", Inputs: map[string]any{"credential": ref, "text": "hi"},
			Main: "POST /2/tweets", Answers: map[string]string{"POST /2/tweets": `{"data":{"id":"1890"}}`},
			Acts: true, Once: true,
		},
		{
			Type: "microblog.get_timeline", Inputs: map[string]any{"credential": ref},
			Main: "GET /2/users/7/timelines/reverse_chronological",
			Answers: map[string]string{
				"GET /2/users/me": me,
				"GET /2/users/7/timelines/reverse_chronological": tweets,
			},
		},
		{
			Type: "microblog.get_trending", Inputs: map[string]any{"credential": ref},
			Main: "GET /2/trends/search", Answers: map[string]string{"GET /2/trends/search": `{"data":[{"trend_name":"#go"}]}`},
		},
		{
			Type: "microblog.search_tweets", Inputs: map[string]any{"credential": ref, "query": "go"},
			Main: "GET /2/tweets/search/recent", Answers: map[string]string{"GET /2/tweets/search/recent": tweets},
		},
		{
			Type: "microblog.like_tweet", Inputs: map[string]any{"credential": ref, "tweet_id": "5"},
			Main: "POST /2/tweets/5/liking_by", Answers: map[string]string{"POST /2/tweets/5/liking_by": `{"data":{"liked":true}}`},
			Acts: true,
		},
		{
			Type: "microblog.retweet", Inputs: map[string]any{"credential": ref, "tweet_id": "5"},
			Main: "POST /2/tweets/5/retweeted_by", Answers: map[string]string{"POST /2/tweets/5/retweeted_by": `{"data":{"retweeted":true}}`},
			Acts: true,
		},
		{
			Type: "microblog.send_dm", Inputs: map[string]any{"credential": ref, "recipient_id": "12", "text": "hi"},
			Main:    "POST /2/dm_conversations/with/12/dm_events",
			Answers: map[string]string{"POST /2/dm_conversations/with/12/dm_events": `{"data":{"dm_event_id":"77"}}`},
			Acts:    true, Once: true,
		},
		{
			Type: "microblog.get_user_info", Inputs: map[string]any{"credential": ref, "username": "gopher"},
			Main: "GET /2/users/by/username/gopher", Answers: map[string]string{"GET /2/users/by/username/gopher": me},
		},
	})
}
