package pronet

import (
	"cmp"
	"context"
	"net/http"
	"strings"
	"unicode/utf16"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/service"
)

// postNode returns the node pronet.post_feed.
func (p *plugin) postNode() node.Node {
	return node.Func("pronet.post_feed", "Share a post", p.post).
		Once().
		Aliases("publish, share, write post", "veröffentlichen, teilen, beitrag schreiben").Doc(
		"Shares a text, and an image if you like, with the account's feed. Calls `POST /ugcPosts`; an image is uploaded before with " +
			"`POST /assets?action=registerUpload`. The account needs the scope `w_member_social`, which the operator adds to " +
			"`PRONET_SCOPES` before it is connected, or `w_organization_social` to post for an organisation: `pronet:company` posts " +
			"as the one that the operator names in `PRONET_COMPANY_URN`.\n\n" +
			"A text may have 3,000 characters, an image 10 MB as PNG, JPEG or GIF. If the network does not answer, `error` says " +
			"`outcome unknown`: the post may be there, and is never sent twice." + rules + limits + "\n\n" +
			"Example: `credential` = `pronet:main`, `text` = `We are hiring.`, `image_url` = `https://example.com/team.jpg`.")
}

type postIn struct {
	Credential value.Credential `port:"credential" network:"pronet" doc:"The account to post with, such as pronet:main."`
	Text       string           `port:"text" widget:"multiline" doc:"What to share."`
	ImageURL   string           `port:"image_url,optional" doc:"Where the image is; empty for none."`
}

type postOut struct {
	PostID *string `port:"post_id" doc:"The id of the new post; null on failure, and if the network gives none."`
	service.Outcome
}

// share is the JSON body of the request that creates a post.
type share struct {
	Author     string            `json:"author"`
	State      string            `json:"lifecycleState"`
	Content    map[string]ugc    `json:"specificContent"`
	Visibility map[string]string `json:"visibility"`
}

type ugc struct {
	Commentary text         `json:"shareCommentary"`
	Category   string       `json:"shareMediaCategory"`
	Media      []shareMedia `json:"media,omitempty"`
}

type text struct {
	Text string `json:"text"`
}

type shareMedia struct {
	Status string `json:"status"`
	Media  string `json:"media"`
}

func (p *plugin) post(ctx context.Context, in postIn) (postOut, error) {
	id, err := p.publish(ctx, in)
	outcome, err := service.Report(ctx, err)
	return postOut{id, outcome}, err
}

// maxText is the longest text of a post, in UTF-16 code units, as the network's editor
// counts.
const maxText = 3000

func (p *plugin) publish(ctx context.Context, in postIn) (*string, error) {
	if n := len(utf16.Encode([]rune(in.Text))); n > maxText || strings.TrimSpace(in.Text) == "" {
		return nil, node.Errorf(node.CodeInvalidInput, "text has %d characters; a post may have 1 to %d", n, maxText)
	}
	author, scope, err := p.author(ctx, in.Credential)
	if err != nil {
		return nil, err
	}
	content := ugc{Commentary: text{in.Text}, Category: "NONE"}
	if in.ImageURL != "" {
		asset, err := p.upload(ctx, in.Credential, author, scope, in.ImageURL)
		if err != nil {
			return nil, err
		}
		content.Category, content.Media = "IMAGE", []shareMedia{{"READY", asset}}
	}
	var answer created
	header, err := p.api.Do(ctx, service.Call{Name: "post_feed", Ref: in.Credential, Scope: scope, Body: share{
		Author: author, State: "PUBLISHED",
		Content:    map[string]ugc{"com.linkedin.ugc.ShareContent": content},
		Visibility: map[string]string{"com.linkedin.ugc.MemberNetworkVisibility": "PUBLIC"},
	}}, &answer)
	return answer.id(header), err
}

// created is the response to a request that creates something. The id is in a header, in
// the body, or in both.
type created struct {
	ID    string `json:"id"`
	Value struct {
		EventURN string `json:"eventUrn"`
	} `json:"value"`
}

// id returns the id of the created object; nil if the response has none.
func (c created) id(header http.Header) *string {
	if id := cmp.Or(header.Get("X-Restli-Id"), c.ID, c.Value.EventURN); id != "" {
		return &id
	}
	return nil
}
