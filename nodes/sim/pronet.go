package sim

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// Prefixes of the professional network's URNs.
const (
	personURN       = "urn:li:person:"
	organizationURN = "urn:li:organization:"
	shareURN        = "urn:li:share:"
	assetURN        = "urn:li:digitalmediaAsset:"
)

// pronet implements face for the professional network.
type pronet struct{ world *world }

func (p pronet) calls() map[string]func(*call) answer {
	return map[string]func(*call) answer{
		"fetch_profile":   p.profile,
		"userinfo":        p.userinfo,
		"post_feed":       p.post,
		"register_upload": p.registerUpload,
		"upload":          p.upload,
		"get_feed":        p.feed,
		"get_connections": p.connections,
		"send_message":    p.message,
		"like_post":       p.like,
		"search_posts":    p.search,
	}
}

// refuse returns an error response. Like the real network's, it does not name a missing
// scope.
func (pronet) refuse(status int, detail string) answer {
	code := 0
	switch {
	case status == http.StatusUnauthorized:
		code, detail = 65600, "Invalid access token"
	case status == http.StatusForbidden && (detail == "" || strings.Contains(detail, "scope")):
		code, detail = 100, "Not enough permissions to access this resource"
	case detail == "":
		detail = http.StatusText(status)
	}
	return answer{status: status, body: map[string]any{"status": status, "serviceErrorCode": code, "message": detail}}
}

// created is the response to a call that creates something.
func created(id string) answer {
	return answer{status: http.StatusCreated, header: map[string]string{"x-restli-id": id}, body: map[string]string{"id": id}}
}

// collection returns the part of a list that a call asks for.
func (p pronet) collection(c *call, total int, element func(i int) any) answer {
	start, _ := strconv.Atoi(c.query().Get("start")) // 0 if missing
	count, err := strconv.Atoi(c.query().Get("count"))
	if err != nil {
		count = 10
	}
	elements := []any{}
	for i := start; i < min(start+count, total); i++ {
		elements = append(elements, element(i))
	}
	links := []any{}
	if start+count < total {
		next := c.query()
		next.Set("start", strconv.Itoa(start+count))
		links = append(links, map[string]string{"rel": "next", "type": "application/json", "href": c.request.URL.Path + "?" + next.Encode()})
	}
	paging := map[string]any{"start": start, "count": count, "total": total, "links": links}
	return answer{status: http.StatusOK, body: map[string]any{"elements": elements, "paging": paging}}
}

// profile returns the fields in the projection, or the default ones.
func (p pronet) profile(c *call) answer {
	a, projection := c.account(), c.query().Get("projection")
	body := map[string]any{
		"id": a.ID, "localizedFirstName": a.First, "localizedLastName": a.Last,
		"localizedHeadline": a.About, "vanityName": a.Username, "profilePicture": pictureOf(a, projection),
	}
	if projection != "" {
		for field := range body {
			if !strings.Contains(projection, field) {
				delete(body, field)
			}
		}
	}
	return answer{status: http.StatusOK, body: body}
}

// pictureOf returns a picture as JSON: its URN, and its URLs if the projection asks for
// them.
func pictureOf(a *Account, projection string) map[string]any {
	picture := map[string]any{"displayImage": assetURN + "C4D" + a.ID}
	if a.Picture == "" || !strings.Contains(projection, "displayImage~") {
		return picture
	}
	var sizes []any
	for _, width := range []int{100, 400} {
		sizes = append(sizes, map[string]any{
			"data": map[string]any{"com.linkedin.digitalmedia.mediaartifact.StillImage": map[string]any{
				"storageSize": map[string]int{"width": width, "height": width},
			}},
			"identifiers": []any{map[string]string{"identifier": fmt.Sprintf("%s?w=%d", a.Picture, width), "identifierType": "EXTERNAL_URL"}},
		})
	}
	picture["displayImage~"] = map[string]any{"elements": sizes}
	return picture
}

func (p pronet) userinfo(c *call) answer {
	a := c.account()
	return answer{status: http.StatusOK, body: map[string]string{
		"sub": a.ID, "name": a.fullName(), "given_name": a.First, "family_name": a.Last, "picture": a.Picture,
	}}
}

func (p pronet) connections(c *call) answer {
	ids := c.account().Connections
	return p.collection(c, len(ids), func(i int) any {
		element := map[string]any{"to": personURN + ids[i]}
		if a := p.world.account(ids[i]); a != nil && strings.Contains(c.query().Get("projection"), "to~") {
			element["to~"] = decorated(a)
		}
		return element
	})
}

// decorated is an account as a projection with ~ inserts it for the account's URN.
func decorated(a *Account) map[string]string {
	return map[string]string{"id": a.ID, "localizedFirstName": a.First, "localizedLastName": a.Last, "localizedHeadline": a.About}
}

func (p pronet) feed(c *call) answer { return p.posts(c, "") }

func (p pronet) search(c *call) answer { return p.posts(c, c.query().Get("keywords")) }

func (p pronet) posts(c *call, query string) answer {
	found := p.world.newest(query)
	return p.collection(c, len(found), func(i int) any { return p.element(c, found[i]) })
}

func (p pronet) element(c *call, post *Post) map[string]any {
	author := p.urn(post.Author)
	element := map[string]any{
		"id": shareURN + post.ID, "author": author, "lifecycleState": "PUBLISHED",
		"created":         map[string]any{"time": post.Created.UnixMilli(), "actor": author},
		"specificContent": content(map[string]any{"shareCommentary": map[string]string{"text": post.Text}}),
		"socialSummary": map[string]any{
			"likesSummary":    map[string]int{"totalLikes": post.likes + len(post.LikedBy)},
			"commentsSummary": map[string]int{"totalFirstLevelComments": post.comments},
		},
		"shareCount": post.shares,
	}
	if a := p.world.account(post.Author); a != nil && strings.Contains(c.query().Get("projection"), "author~") {
		element["author~"] = decorated(a)
	}
	return element
}

func content(share any) map[string]any {
	return map[string]any{"com.linkedin.ugc.ShareContent": share}
}

// urn returns the URN of an account, or of an organisation if no account has that id.
func (p pronet) urn(id string) string {
	if p.world.account(id) != nil {
		return personURN + id
	}
	return organizationURN + id
}

func (p pronet) message(c *call) answer {
	var sent struct {
		Recipients []string `json:"recipients"`
		Body       string   `json:"body"`
	}
	c.decode(&sent)
	to := strings.TrimPrefix(sent.Recipients[0], personURN)
	inPath := strings.TrimPrefix(c.request.PathValue("id"), personURN)
	switch {
	case c.op.profile == Spec && inPath != to:
		return p.refuse(http.StatusBadRequest, "The path and the body name two recipients.")
	case p.world.account(to) == nil:
		return p.refuse(http.StatusNotFound, "There is no member "+to)
	case !slices.Contains(c.account().Connections, to):
		return p.refuse(http.StatusForbidden, "The recipient is no connection of the sender")
	}
	m := p.world.send(c.account().ID, to, sent.Body)
	return created("urn:li:messagingMessage:" + m.ID)
}

func (p pronet) like(c *call) answer {
	var sent struct{ Actor, Object string }
	c.decode(&sent)
	post := p.world.post(sent.Object[strings.LastIndex(sent.Object, ":")+1:])
	switch {
	case !p.mayActAs(c, sent.Actor):
		return p.refuse(http.StatusForbidden, "The actor is not the member of the token")
	case c.op.profile == Live && c.request.PathValue("urn") != sent.Object:
		return p.refuse(http.StatusBadRequest, "The path and the body name two posts.")
	case post == nil:
		return p.refuse(http.StatusNotFound, "There is no post "+sent.Object)
	case !add(&post.LikedBy, sent.Actor[strings.LastIndex(sent.Actor, ":")+1:]):
		return p.refuse(http.StatusConflict, "The post is already liked by the actor")
	}
	return created(fmt.Sprintf("urn:li:like:(%s,%s)", sent.Actor, sent.Object))
}

// mayActAs reports whether the token may act for an author: its own account with the scope
// for members, or one of its organisations with the scope for organisations. The
// specification lists only the second scope, so its profile accepts either scope for both.
func (p pronet) mayActAs(c *call, urn string) bool {
	wanted, allowed := "w_member_social", urn == personURN+c.account().ID
	if id, organization := strings.CutPrefix(urn, organizationURN); organization {
		wanted, allowed = "w_organization_social", slices.Contains(c.account().Organizations, id)
	}
	return allowed && (c.op.profile != Live || slices.Contains(c.login.scopes, wanted))
}
