package sim

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// microblog implements face for the microblogging network.
type microblog struct{ world *world }

func (m microblog) calls() map[string]func(*call) answer {
	return map[string]func(*call) answer{
		"post_tweet":    m.post,
		"search_tweets": m.search,
		"get_timeline":  m.timeline,
		"get_trending":  m.trending,
		"like_tweet":    m.like,
		"retweet":       m.repost,
		"send_dm":       m.message,
		"get_user_info": m.userByName,
		"me":            m.me,
	}
}

// refuse returns an error response as problem details. Without a detail the text of the
// status is used, as the network does.
func (microblog) refuse(status int, detail string) answer {
	if detail == "" {
		detail = http.StatusText(status)
	}
	return problem(status, http.StatusText(status), "about:blank", detail)
}

func problem(status int, title, kind, detail string) answer {
	return answer{
		status: status, header: map[string]string{"Content-Type": "application/problem+json"},
		body: map[string]any{"status": status, "title": title, "type": kind, "detail": detail},
	}
}

const notFound = "https://api.x.com/2/problems/resource-not-found"

// gone is the error response for an action on something that does not exist.
func gone(what, id string) answer {
	return problem(http.StatusNotFound, "Not Found Error", notFound, fmt.Sprintf("Could not find %s with id: [%s].", what, id))
}

func data(status int, body any) answer {
	return answer{status: status, body: map[string]any{"data": body}}
}

func (m microblog) post(c *call) answer {
	var sent struct {
		Text  string `json:"text"`
		Media struct {
			IDs []string `json:"media_ids"`
		} `json:"media"`
	}
	c.decode(&sent)
	unknown := func(id string) bool { return !m.world.media[id] }
	switch author := c.account().ID; {
	case strings.TrimSpace(sent.Text) == "" && len(sent.Media.IDs) == 0:
		return m.refuse(http.StatusBadRequest, "A post needs text or media.")
	case slices.ContainsFunc(sent.Media.IDs, unknown):
		return m.refuse(http.StatusBadRequest, "Your media IDs are invalid.")
	case m.world.twin(author, sent.Text) != nil:
		return m.refuse(http.StatusForbidden, "You are not allowed to create a post with duplicate content.")
	default:
		p := m.world.publish(author, sent.Text, sent.Media.IDs)
		return data(http.StatusCreated, map[string]any{"id": p.ID, "text": p.Text, "edit_history_tweet_ids": []string{p.ID}})
	}
}

func (m microblog) search(c *call) answer {
	return m.page(c, c.query().Get("query"), "next_token", 10)
}

func (m microblog) timeline(c *call) answer {
	if c.request.PathValue("id") != c.account().ID {
		return m.refuse(http.StatusForbidden, "The timeline is another user's.")
	}
	return m.page(c, "", "pagination_token", 100)
}

// page returns a page of the posts that match query. token is the name of the query
// parameter with the page's token.
func (m microblog) page(c *call, query, token string, size int) answer {
	posts := m.world.newest(query)
	list := c.op.name + " " + c.account().ID + " " + query
	if at := c.query().Get(token); at != "" {
		page, ok := m.world.pages[at]
		if !ok || page.list != list {
			return m.refuse(http.StatusBadRequest, "The `"+token+"` query parameter value ["+at+"] is not valid")
		}
		posts = posts[slices.IndexFunc(posts, func(p *Post) bool { return p.ID == page.past })+1:]
	}
	if n, err := strconv.Atoi(c.query().Get("max_results")); err == nil {
		size = n
	}
	meta := map[string]any{"result_count": min(size, len(posts))}
	if len(posts) == 0 {
		return answer{status: http.StatusOK, body: map[string]any{"meta": meta}}
	}
	if len(posts) > size {
		posts = posts[:size]
		meta["next_token"] = m.world.turn(page{list, posts[size-1].ID})
	}
	meta["newest_id"], meta["oldest_id"] = posts[0].ID, posts[len(posts)-1].ID
	return answer{status: http.StatusOK, body: m.listed(c, posts, meta)}
}

// listed returns a page as JSON, with only the fields that the call asked for.
func (m microblog) listed(c *call, posts []*Post, meta map[string]any) map[string]any {
	var items, authors []any
	told := map[string]bool{}
	for _, p := range posts {
		items = append(items, m.postOf(c, p))
		if !told[p.Author] {
			told[p.Author] = true
			authors = append(authors, m.userOf(c, m.world.account(p.Author)))
		}
	}
	body := map[string]any{"data": items, "meta": meta}
	if fields(c, "expansions")["author_id"] {
		body["includes"] = map[string]any{"users": authors}
	}
	return body
}

// postOf returns a post as JSON. The name of the repost count depends on which query
// parameter asked for the fields.
func (m microblog) postOf(c *call, p *Post) map[string]any {
	asked, reposts := fields(c, "post.fields"), "repost_count"
	if c.query().Has("tweet.fields") {
		asked, reposts = fields(c, "tweet.fields"), "retweet_count"
	}
	body := map[string]any{"id": p.ID, "text": p.Text}
	if asked["author_id"] || fields(c, "expansions")["author_id"] {
		body["author_id"] = p.Author
	}
	if asked["created_at"] {
		body["created_at"] = p.Created.Format("2006-01-02T15:04:05.000Z")
	}
	if asked["public_metrics"] {
		body["public_metrics"] = map[string]int{
			"like_count": p.likes + len(p.LikedBy), reposts: p.shares + len(p.RepostedBy),
			"reply_count": p.comments, "quote_count": 0, "bookmark_count": 0, "impression_count": 0,
		}
	}
	return body
}

func (m microblog) userOf(c *call, a *Account) map[string]any {
	body := map[string]any{"id": a.ID, "name": a.fullName(), "username": a.Username}
	verified := "none"
	if a.Verified {
		verified = "blue"
	}
	for name, value := range map[string]any{
		"description": a.About, "verified": a.Verified, "verified_type": verified, "profile_image_url": a.Picture,
		"created_at": time.Unix(0, 0).UTC().Format(time.RFC3339),
		"public_metrics": map[string]int{
			"followers_count": a.Followers, "following_count": len(a.Connections), "post_count": m.world.postsOf(a.ID), "listed_count": 0,
		},
	} {
		if fields(c, "user.fields")[name] {
			body[name] = value
		}
	}
	return body
}

// fields returns the comma-separated names in a query parameter.
func fields(c *call, parameter string) map[string]bool {
	names := map[string]bool{}
	for name := range strings.SplitSeq(c.query().Get(parameter), ",") {
		names[name] = true
	}
	return names
}

func (m microblog) trending(c *call) answer {
	most := 20
	if n, err := strconv.Atoi(c.query().Get("max_trends")); err == nil {
		most = n
	}
	trends := []any{}
	for _, t := range m.world.trends[:min(most, len(m.world.trends))] {
		trend := map[string]any{"trend_name": t.Name}
		if t.Count > 0 {
			trend["tweet_count"] = t.Count
		}
		trends = append(trends, trend)
	}
	return data(http.StatusOK, trends)
}

func (m microblog) like(c *call) answer {
	p, refusal := m.target(c)
	if p == nil {
		return refusal
	}
	add(&p.LikedBy, c.account().ID)
	return data(http.StatusOK, map[string]any{"liked": true})
}

func (m microblog) repost(c *call) answer {
	p, refusal := m.target(c)
	if p == nil {
		return refusal
	}
	add(&p.RepostedBy, c.account().ID)
	return data(http.StatusOK, map[string]any{"retweeted": true, "rest_id": p.ID})
}

// target returns the post that an action refers to. The body has the post's id. The path
// has the post's id in one profile, and the user's id in the other.
func (m microblog) target(c *call) (*Post, answer) {
	var sent struct {
		ID string `json:"tweet_id"`
	}
	c.decode(&sent)
	inPath := c.request.PathValue("id")
	switch {
	case c.op.profile == Live && inPath != c.account().ID:
		return nil, m.refuse(http.StatusForbidden, "The token is another user's.")
	case c.op.profile == Spec && inPath != sent.ID:
		return nil, m.refuse(http.StatusBadRequest, "The path and the body name two posts.")
	}
	if p := m.world.post(sent.ID); p != nil {
		return p, answer{}
	}
	return nil, gone("tweet", sent.ID)
}

func (m microblog) message(c *call) answer {
	var sent struct {
		Text string `json:"text"`
	}
	c.decode(&sent)
	from, to := c.account().ID, c.request.PathValue("participant_id")
	switch {
	case m.world.account(to) == nil:
		return gone("user", to)
	case from == to:
		return m.refuse(http.StatusForbidden, "You do not have permission to DM one or more participants.")
	}
	sentOff := m.world.send(from, to, sent.Text)
	return data(http.StatusCreated, map[string]any{"dm_conversation_id": from + "-" + to, "dm_event_id": sentOff.ID})
}

func (m microblog) me(c *call) answer {
	return data(http.StatusOK, m.userOf(c, c.account()))
}

// userByName returns a user. For an unknown name the response has the status 200 and a list
// of errors, as the real network's.
func (m microblog) userByName(c *call) answer {
	name := c.request.PathValue("username")
	i := slices.IndexFunc(m.world.accounts, func(a *Account) bool { return strings.EqualFold(a.Username, name) })
	if i < 0 {
		return answer{status: http.StatusOK, body: map[string]any{"errors": []any{map[string]any{
			"title": "Not Found Error", "type": notFound, "resource_type": "user", "parameter": "username", "value": name,
			"detail": "Could not find user with username: [" + name + "].",
		}}}}
	}
	return data(http.StatusOK, m.userOf(c, m.world.accounts[i]))
}
