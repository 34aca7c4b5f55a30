package sim_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/nodes/sim"
)

func TestPostsAreKept(t *testing.T) {
	b := newBench(t, "microblog", sim.Config{})
	a := b.call("POST", "/2/tweets", record{"text": "Grüße 👋"})
	require.Equal(t, 201, a.status)
	id := a.value(t, "data/id").(string)
	require.Len(t, id, 19)
	a = b.call("GET", "/2/tweets/search/recent?query=grüße&post.fields=author_id,public_metrics&expansions=author_id", nil)
	require.Equal(t, id, a.value(t, "meta/newest_id"))
	require.Equal(t, float64(1), a.value(t, "meta/result_count"))
	require.Nil(t, a.value(t, "meta/next_token"))

	require.Equal(t, 200, b.call("POST", "/2/tweets/"+id+"/liking_by", record{"tweet_id": id}).status)
	require.Equal(t, 200, b.call("POST", "/2/users/"+ada+"/likes", record{"tweet_id": id}).status)
	require.Equal(t, 200, b.call("POST", "/2/users/"+ada+"/retweets", record{"tweet_id": id}).status)
	posts := b.Posts()
	last := posts[len(posts)-1]
	require.Equal(t, []string{ada}, last.LikedBy, "a like counts once")
	require.Equal(t, []string{ada}, last.RepostedBy)
	require.Equal(t, ada, last.Author)
	a = b.call("GET", "/2/tweets/search/recent?query=GRÜSSE", nil)
	require.Equal(t, float64(0), a.value(t, "meta/result_count"), "ß is no ss")
	require.Nil(t, a.value(t, "data"))

	a = b.call("POST", "/2/tweets", record{"text": "Grüße 👋"})
	require.Equal(t, 403, a.status)
	require.Contains(t, a.text, "duplicate")
	require.Len(t, b.Posts(), len(posts))
}

// A response has only the requested fields. The path of the call decides the name of the
// repost count.
func TestFieldsComeOnDemand(t *testing.T) {
	b := newBench(t, "microblog", sim.Config{})
	item := func(query string) record {
		a := b.call("GET", "/2/tweets/search/recent?query=engine"+query, nil)
		return a.value(t, "data").([]any)[0].(record)
	}
	require.Len(t, item(""), 2)
	require.Contains(t, item("&expansions=author_id"), "author_id")
	require.Contains(t, item("&post.fields=created_at"), "created_at")
	metrics := func(query string) record { return item(query)["public_metrics"].(record) }
	require.Equal(t, 12.0, metrics("&post.fields=public_metrics")["like_count"])
	require.Equal(t, 1.0, metrics("&post.fields=public_metrics")["repost_count"])
	require.Equal(t, 1.0, metrics("&tweet.fields=public_metrics")["retweet_count"])
	require.NotContains(t, metrics("&tweet.fields=public_metrics"), "repost_count")

	a := b.call("GET", "/2/users/by/username/GRACE", nil)
	require.Equal(t, record{"id": grace, "name": "Grace Hopper", "username": "grace"}, a.value(t, "data"))
	a = b.call("GET", "/2/users/by/username/grace?user.fields=description,verified,verified_type,public_metrics", nil)
	require.Equal(t, true, a.value(t, "data/verified"))
	require.Equal(t, 90210.0, a.value(t, "data/public_metrics/followers_count"))
	a = b.call("GET", "/2/trends/search?max_trends=3", nil)
	require.Equal(t, record{"trend_name": "#monday"}, a.value(t, "data").([]any)[2], "not every count is known")
}

// All pages together contain each post once, even if posts are added in the meantime.
func TestPagesOfPosts(t *testing.T) {
	b := newBench(t, "microblog", sim.Config{})
	for i := range 25 {
		require.Equal(t, 201, b.call("POST", "/2/tweets", record{"text": "page " + strconv.Itoa(i)}).status)
	}
	var ids []string
	token, pages := "", 0
	for more := true; more; pages++ {
		target := "/2/tweets/search/recent?query=page&max_results=10"
		if token != "" {
			target += "&next_token=" + token
		}
		a := b.call("GET", target, nil)
		for _, item := range a.value(t, "data").([]any) {
			ids = append(ids, item.(record)["id"].(string))
		}
		token, more = a.value(t, "meta/next_token").(string)
		require.Equal(t, 201, b.call("POST", "/2/tweets", record{"text": "new page " + strconv.Itoa(pages)}).status)
	}
	require.Equal(t, 3, pages)
	require.Len(t, ids, 25)
	require.IsDecreasing(t, ids)

	a := b.call("GET", "/2/tweets/search/recent?query=page", nil)
	token = a.value(t, "meta/next_token").(string)
	require.Equal(t, 200, b.call("GET", "/2/tweets/search/recent?query=page&next_token="+token, nil).status)
	require.Equal(t, 400, b.call("GET", "/2/tweets/search/recent?query=other&next_token="+token, nil).status, "it is for one query")
	require.Equal(t, 400, b.call("GET", "/2/users/"+ada+"/timelines/reverse_chronological?pagination_token="+token, nil).status)
}

func TestWhatIsNotThere(t *testing.T) {
	b := newBench(t, "microblog", sim.Config{})
	a := b.call("GET", "/2/users/by/username/nobody", nil)
	require.Equal(t, 200, a.status)
	require.Nil(t, a.value(t, "data"))
	require.Contains(t, a.text, "/resource-not-found")
	for _, c := range []struct{ target, body string }{
		{"/2/tweets/1/liking_by", `{"tweet_id":"1"}`},
		{"/2/users/" + ada + "/retweets", `{"tweet_id":"1"}`},
		{"/2/dm_conversations/with/1/messages", `{"text":"Hello"}`},
	} {
		a = b.call("POST", c.target, c.body)
		require.Equal(t, 404, a.status)
		require.Contains(t, a.text, "/resource-not-found")
	}
}

func TestAccountsAreApart(t *testing.T) {
	b := newBench(t, "microblog", sim.Config{})
	require.Equal(t, 403, b.call("GET", "/2/users/"+grace+"/timelines/reverse_chronological", nil).status)
	require.Equal(t, 403, b.call("POST", "/2/users/"+grace+"/likes", record{"tweet_id": knownTweet}).status)
	require.Equal(t, 403, b.call("POST", "/2/dm_conversations/with/"+ada+"/messages", record{"text": "to myself"}).status)
	b.token = "sim-microblog-bot"
	a := b.call("GET", "/2/users/me", nil)
	require.Equal(t, "ada_bot", a.value(t, "data/username"))
	a = b.call("POST", "/2/dm_conversations/with/"+ada+"/messages", record{"text": "Hello"})
	require.Equal(t, 201, a.status)
	require.Equal(t, []sim.Message{{ID: a.value(t, "data/dm_event_id").(string), From: "1100000000000000002", To: ada, Text: "Hello"}}, b.Messages())
}

func TestRequestsAreRemembered(t *testing.T) {
	var told []sim.Request
	b := newBench(t, "microblog", sim.Config{Log: func(r sim.Request) { told = append(told, r) }})
	b.call("GET", "/2/tweets/search/recent?query=a+b", nil)
	b.call("POST", "/2/tweets", record{"text": "a"})
	b.call("GET", "/nowhere", nil)
	require.Len(t, b.Requests(), 3)
	require.Equal(t, told, b.Requests())
	require.Equal(t, url.Values{"query": {"a b"}}, b.Requests("search_tweets")[0].Query)
	posted := b.Requests("post_tweet")[0]
	require.Equal(t, `{"text":"a"}`, string(posted.Body))
	require.Equal(t, "Bearer sim-microblog-main", posted.Header.Get("Authorization"))
	require.Equal(t, 404, b.Requests("")[0].Status)
}

func TestOldRequestsAreForgotten(t *testing.T) {
	n, err := sim.NewMicroblog(sim.Config{})
	require.NoError(t, err)
	for i := range 10_001 {
		n.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/"+strconv.Itoa(i), nil))
	}
	require.Len(t, n.Requests(), 10_000)
	require.Equal(t, "/1", n.Requests()[0].Path)
}
