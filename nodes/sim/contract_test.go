package sim_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/nodes/sim"
)

const (
	ada        = "1100000000000000001"
	grace      = "1100000000000000003"
	knownTweet = "1800000000000000002"
	adaURN     = "urn:li:person:yrZCpj2Z12"
	companyURN = "urn:li:organization:5005"
	knownShare = "urn:li:share:1800000000000000002"
	escaped    = "urn%3Ali%3Ashare%3A1800000000000000002"
	picture    = "\x89PNG\x0D\x0A\x1A\x0A"
)

func shareOf(author, text string, media ...string) record {
	content := record{"shareCommentary": record{"text": text}, "shareMediaCategory": "NONE"}
	if len(media) > 0 {
		content["shareMediaCategory"] = "IMAGE"
		content["media"] = []any{record{"status": "READY", "media": media[0]}}
	}
	return record{
		"author": author, "lifecycleState": "PUBLISHED",
		"specificContent": record{"com.linkedin.ugc.ShareContent": content},
		"visibility":      record{"com.linkedin.ugc.MemberNetworkVisibility": "PUBLIC"},
	}
}

func uploadOf(owner string) record {
	return record{"registerUploadRequest": record{
		"owner": owner, "recipes": []string{"urn:li:digitalmediaRecipe:feedshare-image"},
		"serviceRelationships": []any{record{"relationshipType": "OWNER", "identifier": "urn:li:userGeneratedContent"}},
	}}
}

// good is a valid request for an operation of a network. id is the operation's id in the
// document.
type good struct {
	id, method, target string
	body               any
	status             int
}

func goodCalls(network string) []good {
	tweet := record{"tweet_id": knownTweet}
	letter := record{"recipients": []string{"urn:li:person:9HfGrace"}, "body": "Hello", "messageType": "MEMBER_TO_MEMBER"}
	like := record{"actor": adaURN, "object": knownShare}
	if network == "microblog" {
		return []good{
			{"post_tweet", "POST", "/2/tweets", record{"text": "Hello", "media": record{"media_ids": []string{"1146654567674912769"}}}, 201},
			{"search_tweets", "GET", "/2/tweets/search/recent?query=%23workflows&max_results=10&post.fields=author_id,created_at,public_metrics&expansions=author_id&user.fields=username", nil, 200},
			{"me", "GET", "/2/users/me?user.fields=description,public_metrics,verified,verified_type,created_at,profile_image_url", nil, 200},
			{"get_user_info", "GET", "/2/users/by/username/grace?user.fields=public_metrics", nil, 200},
			{"get_timeline", "GET", "/2/users/" + ada + "/timelines/reverse_chronological?max_results=1&post.fields=public_metrics", nil, 200},
			{"spec.get_trending", "GET", "/2/trends/search?max_trends=50&trend.fields=trend_name,tweet_count", nil, 200},
			{"live.get_trending", "GET", "/2/trends/by/woeid/1", nil, 200},
			{"spec.like_tweet", "POST", "/2/tweets/" + knownTweet + "/liking_by", tweet, 200},
			{"live.like_tweet", "POST", "/2/users/" + ada + "/likes", tweet, 200},
			{"spec.retweet", "POST", "/2/tweets/" + knownTweet + "/retweeted_by", tweet, 200},
			{"live.retweet", "POST", "/2/users/" + ada + "/retweets", tweet, 200},
			{"spec.send_dm", "POST", "/2/dm_conversations/with/" + grace + "/dm_events", record{"text": "Hello"}, 201},
			{"live.send_dm", "POST", "/2/dm_conversations/with/" + grace + "/messages", record{"text": "Hello"}, 201},
		}
	}
	return []good{
		{"spec.fetch_profile", "GET", "/me", nil, 200},
		{"live.fetch_profile", "GET", "/v2/me?projection=(id,localizedFirstName,localizedLastName,profilePicture(displayImage~:playableStreams))", nil, 200},
		{"live.userinfo", "GET", "/v2/userinfo", nil, 200},
		{"spec.post_feed", "POST", "/ugcPosts", shareOf(adaURN, "One"), 201},
		{"live.post_feed", "POST", "/v2/ugcPosts", shareOf(adaURN, "Two"), 201},
		{"spec.register_upload", "POST", "/assets?action=registerUpload", uploadOf(adaURN), 200},
		{"live.register_upload", "POST", "/v2/assets?action=registerUpload", uploadOf(adaURN), 200},
		{"spec.get_feed", "GET", "/feed?start=0&count=2", nil, 200},
		{"spec.get_connections", "GET", "/relationships/connections?start=0&count=50&projection=(elements*(to~(id)),paging)", nil, 200},
		{"live.get_connections", "GET", "/v2/connections?q=viewer&start=0&count=50", nil, 200},
		{"spec.send_message", "POST", "/messaging/conversations/9HfGrace/events", letter, 201},
		{"live.send_message", "POST", "/v2/messages", letter, 201},
		{"spec.like_post", "POST", "/likes", like, 201},
		{"live.like_post", "POST", "/v2/socialActions/" + escaped + "/likes", like, 201},
		{"spec.search_posts", "GET", "/search/queries?q=keywords&keywords=moth&start=0&count=10", nil, 200},
	}
}

func TestCallsThatAreAsDescribed(t *testing.T) {
	for _, network := range []string{"pronet", "microblog"} {
		described := []string{"upload"} // upload has a binary body; see TestImage
		for _, g := range goodCalls(network) {
			t.Run(network+"/"+g.id, func(t *testing.T) {
				b := newBench(t, network, sim.Config{})
				a := b.call(g.method, g.target, g.body)
				require.Equal(t, g.status, a.status, a.text)
				requests := b.Requests()
				require.Len(t, requests, 1)
				require.Equal(t, g.id[strings.Index(g.id, ".")+1:], requests[0].Route)
				require.Equal(t, g.status, requests[0].Status)

				profile, _, found := strings.Cut(g.id, ".")
				if found {
					other := map[string]sim.Profile{"spec": sim.Live, "live": sim.Spec}[profile]
					a = newBench(t, network, sim.Config{Profile: other}).call(g.method, g.target, g.body)
					require.Contains(t, []int{404, 405}, a.status, "the other profile does not know it")
				}
			})
			described = append(described, g.id)
		}
		require.Empty(t, missingIDs(t, network, described))
	}
}

// missingIDs returns the operations of a document that are not in ids.
func missingIDs(t *testing.T, network string, ids []string) (missing []string) {
	t.Helper()
	doc := document(t, network)
	require.NoError(t, doc.Validate(t.Context()))
	for _, item := range doc.Paths.Map() {
		for _, o := range item.Operations() {
			if !slices.Contains(ids, o.OperationID) {
				missing = append(missing, o.OperationID)
			}
		}
	}
	return missing
}

// Every call refuses unknown tokens, and tokens without its scope.
func TestCallsThatMayNotBeMade(t *testing.T) {
	for _, network := range []string{"pronet", "microblog"} {
		for _, g := range goodCalls(network) {
			t.Run(network+"/"+g.id, func(t *testing.T) {
				b := newBench(t, network, sim.Config{})
				require.Equal(t, 401, b.call(g.method, g.target, g.body, "Authorization", "").status)
				require.Equal(t, 401, b.call(g.method, g.target, g.body, "Authorization", "Bearer other").status)
				require.Equal(t, 401, b.call(g.method, g.target, g.body, "Authorization", b.token).status)
				b.token, _ = b.Login("follows.read")
				require.Equal(t, 403, b.call(g.method, g.target, g.body).status)
			})
		}
	}
}

func TestCallsThatAreNotAsDescribed(t *testing.T) {
	tweet := record{"tweet_id": knownTweet}
	for name, c := range map[string]struct {
		network, method, target string
		body                    any
		header                  []string
		status                  int
		says                    string
	}{
		"path":            {"microblog", "GET", "/2/tweets/1", nil, nil, 404, ""},
		"method":          {"microblog", "DELETE", "/2/tweets", nil, nil, 405, ""},
		"query":           {"microblog", "GET", "/2/users/me?woeid=1", nil, nil, 400, "woeid"},
		"query twice":     {"microblog", "GET", "/2/trends/search?max_trends=1&max_trends=2", nil, nil, 400, "more than once"},
		"two dialects":    {"microblog", "GET", "/2/tweets/search/recent?query=a&post.fields=id&tweet.fields=id", nil, nil, 400, "two names"},
		"small page":      {"microblog", "GET", "/2/tweets/search/recent?query=a&max_results=9", nil, nil, 400, "max_results"},
		"large page":      {"microblog", "GET", "/2/tweets/search/recent?query=a&max_results=101", nil, nil, 400, "max_results"},
		"no query":        {"microblog", "GET", "/2/tweets/search/recent", nil, nil, 400, "query"},
		"field":           {"microblog", "GET", "/2/users/me?user.fields=shoe_size", nil, nil, 400, "user.fields"},
		"page":            {"microblog", "GET", "/2/tweets/search/recent?query=a&next_token=b", nil, nil, 400, "next_token"},
		"name":            {"microblog", "GET", "/2/users/by/username/a-b", nil, nil, 400, "username"},
		"id":              {"microblog", "POST", "/2/tweets/12a/liking_by", tweet, nil, 400, "id"},
		"two ids":         {"microblog", "POST", "/2/tweets/1/liking_by", tweet, nil, 400, "two posts"},
		"media type":      {"microblog", "POST", "/2/tweets", record{"text": "a"}, []string{"Content-Type", "text/plain"}, 415, "application/json"},
		"no media type":   {"microblog", "POST", "/2/tweets", record{"text": "a"}, []string{"Content-Type", ""}, 415, "application/json"},
		"no JSON":         {"microblog", "POST", "/2/tweets", `{"text":`, nil, 400, "body"},
		"no body":         {"microblog", "POST", "/2/tweets", nil, []string{"Content-Type", "application/json"}, 400, "body"},
		"unknown member":  {"microblog", "POST", "/2/tweets", record{"text": "a", "poll": 1}, nil, 400, "poll"},
		"empty post":      {"microblog", "POST", "/2/tweets", record{"text": " "}, nil, 400, "text or media"},
		"media":           {"microblog", "POST", "/2/tweets", record{"text": "a", "media": record{"media_ids": []string{"1"}}}, nil, 400, "media IDs"},
		"five media":      {"microblog", "POST", "/2/tweets", record{"text": "a", "media": record{"media_ids": []string{"1", "2", "3", "4", "5"}}}, nil, 400, "media_ids"},
		"protocol":        {"pronet", "GET", "/me", nil, []string{"X-Restli-Protocol-Version", ""}, 400, "X-Restli-Protocol-Version"},
		"old protocol":    {"pronet", "GET", "/me", nil, []string{"X-Restli-Protocol-Version", "1.0.0"}, 400, "X-Restli-Protocol-Version"},
		"finder":          {"pronet", "GET", "/v2/connections", nil, nil, 400, "q"},
		"negative start":  {"pronet", "GET", "/feed?start=-1", nil, nil, 400, "start"},
		"post":            {"pronet", "POST", "/ugcPosts", record{"author": adaURN}, nil, 400, "lifecycleState"},
		"empty text":      {"pronet", "POST", "/ugcPosts", shareOf(adaURN, " "), nil, 400, "text or an image"},
		"long text":       {"pronet", "POST", "/ugcPosts", shareOf(adaURN, strings.Repeat("a", 3001)), nil, 400, "text"},
		"author":          {"pronet", "POST", "/ugcPosts", shareOf("yrZCpj2Z12", "a"), nil, 400, "author"},
		"bare post id":    {"pronet", "POST", "/likes", record{"actor": adaURN, "object": "1"}, nil, 400, "object"},
		"two recipients":  {"pronet", "POST", "/messaging/conversations/a/events", record{"recipients": []string{"b"}, "body": "c"}, nil, 400, "two recipients"},
		"no action":       {"pronet", "POST", "/assets", uploadOf(adaURN), nil, 400, "action"},
		"image not there": {"pronet", "POST", "/ugcPosts", shareOf(adaURN, "a", "urn:li:digitalmediaAsset:1"), nil, 400, "uploaded"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, c.network, sim.Config{})
			before := len(b.Posts())
			a := b.call(c.method, c.target, c.body, c.header...)
			require.Equal(t, c.status, a.status, a.text)
			require.Contains(t, a.text, c.says)
			require.Len(t, b.Posts(), before)
			require.Empty(t, b.Messages())
		})
	}
}

func TestBodyThatIsTooLarge(t *testing.T) {
	b := newBench(t, "microblog", sim.Config{})
	require.Equal(t, http.StatusRequestEntityTooLarge, b.call("POST", "/2/tweets", strings.Repeat("a", 33<<20)).status)
}
