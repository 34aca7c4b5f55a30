package microblog

import (
	"cmp"
	"context"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/service"
)

// timelineNode returns the node microblog.get_timeline.
func (m *plugin) timelineNode() node.Node {
	return node.Func("microblog.get_timeline", "Home timeline", m.timeline).
		Aliases("tweets, feed, home", "startseite, zeitleiste, beiträge").Doc(
		"Fetches the newest posts of the accounts that the user follows, the newest first. Calls `GET " +
			"/2/users/{me}/timelines/reverse_chronological`, once per 100 posts, and `GET /2/users/me` once per token; the account " +
			"needs the scopes `tweet.read` and `users.read`." + failures + limits + "\n\n" +
			"Example: `credential` = `microblog:main`, `limit` = `20`.")
}

type timelineIn struct {
	Credential value.Credential `port:"credential" network:"microblog" doc:"The account whose timeline it is, such as microblog:main."`
	Limit      int              `port:"limit" default:"10" doc:"How many posts at most, 1 to 500."`
}

type timelineItem struct {
	ID        string `port:"id"`
	Author    string `port:"author"`
	Text      string `port:"text"`
	Likes     int    `port:"likes"`
	Timestamp string `port:"timestamp"`
}

type timelineOut struct {
	Tweets []timelineItem `port:"tweets" doc:"The posts: author is the name of the user, likes how many liked it, timestamp when it was posted (RFC 3339)."`
	Count  int            `port:"count" doc:"How many there are."`
}

func (m *plugin) timeline(ctx context.Context, in timelineIn) (timelineOut, error) {
	tweets, err := m.tweets(ctx, service.Call{Name: "get_timeline", Ref: in.Credential}, in.Limit)
	out := timelineOut{Tweets: make([]timelineItem, len(tweets)), Count: len(tweets)}
	for i, t := range tweets {
		out.Tweets[i] = timelineItem{t.ID, t.author, t.Text, t.Metrics.Likes, t.CreatedAt}
	}
	return out, err
}

// searchNode returns the node microblog.search_tweets.
func (m *plugin) searchNode() node.Node {
	return node.Func("microblog.search_tweets", "Search posts", m.search).
		Aliases("find posts, hashtag, query", "beiträge suchen, stichwort").
		Example(map[string]any{"query": "#workflows"}).Doc(
		"Searches the posts of the last seven days by words, hashtags and the network's operators, the newest first. Calls `GET " +
			"/2/tweets/search/recent`, once per 100 posts; the account needs the scopes `tweet.read` and `users.read`." + failures + limits + "\n\n" +
			"Example: `credential` = `microblog:main`, `query` = `#golang lang:en -is:retweet`.")
}

type searchIn struct {
	Credential value.Credential `port:"credential" network:"microblog" doc:"The account that searches, such as microblog:main."`
	Query      string           `port:"query" doc:"What to look for, up to 4,096 characters; most plans of the network allow 512."`
	Limit      int              `port:"limit" default:"10" doc:"How many posts at most, 1 to 500."`
}

type searchItem struct {
	ID         string `port:"id"`
	Author     string `port:"author"`
	Text       string `port:"text"`
	Engagement int    `port:"engagement"`
}

type searchOut struct {
	Tweets []searchItem `port:"tweets" doc:"The posts: author is the name of the user, engagement the sum of likes, reposts, replies and quotes."`
	Count  int          `port:"count" doc:"How many there are."`
}

// maxQuery is the longest search query, in characters.
const maxQuery = 4096

func (m *plugin) search(ctx context.Context, in searchIn) (searchOut, error) {
	if n := utf8.RuneCountInString(in.Query); strings.TrimSpace(in.Query) == "" || n > maxQuery {
		return searchOut{}, node.Errorf(node.CodeInvalidInput, "query has %d characters; give 1 to %d", n, maxQuery)
	}
	tweets, err := m.tweets(ctx, service.Call{Name: "search_tweets", Ref: in.Credential, Query: url.Values{"query": {in.Query}}}, in.Limit)
	out := searchOut{Tweets: make([]searchItem, len(tweets)), Count: len(tweets)}
	for i, t := range tweets {
		out.Tweets[i] = searchItem{t.ID, t.author, t.Text, t.Metrics.engagement()}
	}
	return out, err
}

// tweet is a post in the network's JSON.
type tweet struct {
	ID        string  `json:"id"`
	Text      string  `json:"text"`
	AuthorID  string  `json:"author_id"`
	Username  string  `json:"username"` // of the author; may be empty
	CreatedAt string  `json:"created_at"`
	Metrics   metrics `json:"public_metrics"`

	author string // the author's user name, else the id
}

// metrics counts reactions. The network is renaming retweets to reposts, so both names are
// read.
type metrics struct {
	Likes    int `json:"like_count"`
	Retweets int `json:"retweet_count"`
	Reposts  int `json:"repost_count"`
	Replies  int `json:"reply_count"`
	Quotes   int `json:"quote_count"`
}

func (m metrics) engagement() int {
	return m.Likes + max(m.Retweets, m.Reposts) + m.Replies + m.Quotes
}

// tweetPage is one page of posts.
type tweetPage struct {
	Data     []tweet `json:"data"`
	Includes struct {
		Users []struct {
			ID       string `json:"id"`
			Username string `json:"username"`
		} `json:"users"`
	} `json:"includes"`
	Meta struct {
		NextToken string `json:"next_token"`
	} `json:"meta"`
}

// tweets reads up to limit posts, with the names of their authors.
func (m *plugin) tweets(ctx context.Context, c service.Call, limit int) ([]tweet, error) {
	return service.List(ctx, m.api, c, limit, func(c service.Call) ([]tweet, string, error) {
		var page tweetPage
		if _, err := m.api.Do(ctx, c, &page); err != nil {
			return nil, "", err
		}
		names := map[string]string{}
		for _, u := range page.Includes.Users {
			names[u.ID] = u.Username
		}
		for i := range page.Data {
			t := &page.Data[i]
			t.author = cmp.Or(names[t.AuthorID], t.Username, t.AuthorID)
		}
		return page.Data, page.Meta.NextToken, nil
	})
}
