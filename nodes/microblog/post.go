package microblog

import (
	"context"
	"strings"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/service"
)

// postNode returns the node microblog.post_tweet.
func (m *plugin) postNode() node.Node {
	return node.Func("microblog.post_tweet", "Post", m.post).
		Once().
		Aliases("tweet, publish, share, write", "tweet, veröffentlichen, teilen, schreiben").Doc(
		"Publishes a post. Calls `POST /2/tweets`; the account needs the scope `tweet.write`.\n\n" +
			"A text may weigh 280: most letters of European scripts weigh 1, all other characters and emoji 2, and an address 23, " +
			"however long it is. A longer one is not sent. If the network does not answer, `error` says `outcome unknown`: the post " +
			"may be there, and is never sent twice." + rules + limits + "\n\n" +
			"Example: `credential` = `microblog:main`, `text` = `Hello, world! 👋`.")
}

type postIn struct {
	Credential value.Credential `port:"credential" network:"microblog" doc:"The account to post with, such as microblog:main."`
	Text       string           `port:"text" widget:"multiline" doc:"What to post; may be empty if there are media."`
	MediaIDs   []string         `port:"media_ids,optional" doc:"Up to four ids of media that were uploaded before."`
}

type postOut struct {
	TweetID *string `port:"tweet_id" doc:"The id of the new post; null on failure."`
	service.Outcome
}

type media struct {
	IDs []string `json:"media_ids"`
}

type postBody struct {
	Text  string `json:"text"`
	Media *media `json:"media,omitempty"`
}

func (m *plugin) post(ctx context.Context, in postIn) (postOut, error) {
	id, err := m.publish(ctx, in)
	outcome, err := service.Report(ctx, err)
	return postOut{id, outcome}, err
}

func (m *plugin) publish(ctx context.Context, in postIn) (*string, error) {
	if err := checkPost(in); err != nil {
		return nil, err
	}
	body := postBody{Text: in.Text}
	if len(in.MediaIDs) > 0 {
		body.Media = &media{in.MediaIDs}
	}
	var answer struct {
		Data struct {
			ID *string `json:"id"`
		} `json:"data"`
	}
	_, err := m.api.Do(ctx, service.Call{Name: "post_tweet", Ref: in.Credential, Body: body}, &answer)
	return answer.Data.ID, err
}

// The limits of a post: media files, and bytes of text. Longer texts are refused before
// they are weighed.
const (
	maxMedia = 4
	maxBytes = 64 << 10
)

func checkPost(in postIn) error {
	if len(in.MediaIDs) > maxMedia {
		return node.Errorf(node.CodeInvalidInput, "media_ids has %d ids; a post may have %d", len(in.MediaIDs), maxMedia)
	}
	for _, id := range in.MediaIDs {
		if err := checkID("media_ids", id); err != nil {
			return err
		}
	}
	if strings.TrimSpace(in.Text) == "" && len(in.MediaIDs) == 0 {
		return node.Errorf(node.CodeInvalidInput, "text is empty; a post needs a text or media")
	}
	if len(in.Text) > maxBytes {
		return node.Errorf(node.CodeInvalidInput, "text is far too long; a post may weigh %d", maxWeight)
	}
	if w := weigh(in.Text); w > maxWeight {
		return node.Errorf(node.CodeInvalidInput, "text weighs %d; a post may weigh %d, so shorten it", w, maxWeight)
	}
	return nil
}
