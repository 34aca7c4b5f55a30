package pronet

import (
	"cmp"
	"context"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/service"
)

// feedNode returns the node pronet.get_feed.
func (p *plugin) feedNode() node.Node {
	return node.Func("pronet.get_feed", "My feed", p.feed).
		Aliases("timeline, posts, news", "neuigkeiten, beiträge").Doc(
		"Fetches the newest items of the account's feed. Calls `GET /feed`, once per 50 items. The network's public API does not offer " +
			"it: there the node fails with `not_offered`." + failures + limits + "\n\n" +
			"Example: `credential` = `pronet:main`, `limit` = `20`.")
}

type feedIn struct {
	Credential value.Credential `port:"credential" network:"pronet" doc:"The account whose feed it is, such as pronet:main."`
	Limit      int              `port:"limit" default:"10" doc:"How many posts at most, 1 to 500."`
}

type feedItem struct {
	ID        string `port:"id"`
	Author    string `port:"author"`
	Text      string `port:"text"`
	Timestamp string `port:"timestamp"`
}

type feedOut struct {
	Posts []feedItem `port:"posts" doc:"The posts: author is the name of who posted, or the URN where the network gives no name; timestamp is when (RFC 3339)."`
	Count int        `port:"count" doc:"How many there are."`
}

func (p *plugin) feed(ctx context.Context, in feedIn) (feedOut, error) {
	posts, err := elements[post](ctx, p, service.Call{Name: "get_feed", Ref: in.Credential}, in.Limit)
	out := feedOut{Posts: make([]feedItem, len(posts)), Count: len(posts)}
	for i, q := range posts {
		out.Posts[i] = feedItem{q.ID, q.author(), q.text(), q.timestamp()}
	}
	return out, err
}

// searchNode returns the node pronet.search_posts.
func (p *plugin) searchNode() node.Node {
	return node.Func("pronet.search_posts", "Search posts", p.search).
		Aliases("find posts, query", "beiträge suchen").
		Example(map[string]any{"query": "workflows"}).Doc(
		"Searches posts by their words. Calls `GET /search/queries`, once per 50 posts. The network's public API does not offer it: there " +
			"the node fails with `not_offered`." + failures + limits + "\n\n" +
			"Example: `credential` = `pronet:main`, `query` = `workflow engine`.")
}

type searchIn struct {
	Credential value.Credential `port:"credential" network:"pronet" doc:"The account that searches, such as pronet:main."`
	Query      string           `port:"query" doc:"The words to look for."`
	Limit      int              `port:"limit" default:"10" doc:"How many posts at most, 1 to 500."`
}

type searchItem struct {
	ID         string `port:"id"`
	Author     string `port:"author"`
	Text       string `port:"text"`
	Engagement int    `port:"engagement_count"`
}

type searchOut struct {
	Posts []searchItem `port:"posts" doc:"The posts: author as in pronet.get_feed, engagement_count the sum of likes, comments and shares."`
	Count int          `port:"count" doc:"How many there are."`
}

func (p *plugin) search(ctx context.Context, in searchIn) (searchOut, error) {
	if strings.TrimSpace(in.Query) == "" {
		return searchOut{}, node.Errorf(node.CodeInvalidInput, "query is empty; give words to look for")
	}
	c := service.Call{Name: "search_posts", Ref: in.Credential, Query: url.Values{"keywords": {in.Query}}}
	posts, err := elements[post](ctx, p, c, in.Limit)
	out := searchOut{Posts: make([]searchItem, len(posts)), Count: len(posts)}
	for i, q := range posts {
		out.Posts[i] = searchItem{q.ID, q.author(), q.text(), q.engagement()}
	}
	return out, err
}

// elements reads up to limit elements of a paged collection.
func elements[T any](ctx context.Context, p *plugin, c service.Call, limit int) ([]T, error) {
	start := 0
	return service.List(ctx, p.api, c, limit, func(c service.Call) ([]T, string, error) {
		var page struct {
			Elements []T `json:"elements"`
			Paging   struct {
				Total *int `json:"total"`
			} `json:"paging"`
		}
		if start == 0 {
			c.Query.Set("start", "0")
		}
		_, err := p.api.Do(ctx, c, &page)
		start += len(page.Elements) // a page may have fewer elements than were requested
		if total := page.Paging.Total; total != nil && start >= *total {
			return page.Elements, "", err
		}
		return page.Elements, strconv.Itoa(start), err
	})
}

// post is a post in the network's JSON, which has several shapes.
type post struct {
	ID      string                 `json:"id"`
	Author  string                 `json:"author"`
	Actor   string                 `json:"actor"`
	Member  person                 `json:"author~"`
	Content map[string]postContent `json:"specificContent"`

	Commentary  string `json:"commentary"`
	Text        any    `json:"text"`
	Created     moment `json:"created"`
	CreatedAt   moment `json:"createdAt"`
	PublishedAt moment `json:"publishedAt"`

	Engagement      int `json:"engagement"`
	EngagementCount int `json:"engagement_count"`
	Shares          int `json:"shareCount"`
	Summary         struct {
		Likes struct {
			Total int `json:"totalLikes"`
		} `json:"likesSummary"`
		Comments struct {
			Total int `json:"totalFirstLevelComments"`
		} `json:"commentsSummary"`
	} `json:"socialSummary"`
}

type postContent struct {
	Commentary text `json:"shareCommentary"`
}

func (p post) author() string { return cmp.Or(p.Member.name(), p.Author, p.Actor) }

func (p post) text() string {
	if p.Commentary != "" {
		return p.Commentary
	}
	if plain, ok := p.Text.(string); ok {
		return plain
	}
	for _, c := range p.Content {
		return c.Commentary.Text
	}
	return ""
}

func (p post) engagement() int {
	return p.Summary.Likes.Total + p.Summary.Comments.Total + p.Shares + max(p.Engagement, p.EngagementCount)
}

func (p post) timestamp() string {
	at := cmp.Or(p.Created, p.CreatedAt, p.PublishedAt)
	if at == 0 {
		return ""
	}
	return time.UnixMilli(int64(at)).UTC().Format(time.RFC3339)
}
