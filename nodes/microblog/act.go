package microblog

import (
	"context"
	"strings"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/service"
)

// likeNode returns the node microblog.like_tweet.
func (m *plugin) likeNode() node.Node {
	return node.Func("microblog.like_tweet", "Like a post", m.reaction("like_tweet")).
		Once().
		Aliases("favorite, heart", "gefällt mir, favorit").
		Example(map[string]any{"tweet_id": "1800000000000000002"}).Doc(
		"Likes a post; one that is liked already is a success. Calls `POST /2/tweets/{id}/liking_by`, or `POST " +
			"/2/users/{me}/likes` of the live API; the account needs the scope `like.write`, which the operator adds to " +
			"`MICROBLOG_SCOPES` before it is connected." + rules + limits + "\n\n" +
			"Example: `credential` = `microblog:main`, `tweet_id` = `1890000000000000001`.")
}

// retweetNode returns the node microblog.retweet.
func (m *plugin) retweetNode() node.Node {
	return node.Func("microblog.retweet", "Repost", m.reaction("retweet")).
		Once().
		Aliases("repost, share", "weiterverbreiten, teilen").
		Example(map[string]any{"tweet_id": "1800000000000000002"}).Doc(
		"Reposts a post; one that is reposted already is a success. Calls `POST /2/tweets/{id}/retweeted_by`, or `POST " +
			"/2/users/{me}/retweets` of the live API; the account needs the scope `tweet.write`." + rules + limits + "\n\n" +
			"Example: `credential` = `microblog:main`, `tweet_id` = `1890000000000000001`.")
}

type reactionIn struct {
	Credential value.Credential `port:"credential" network:"microblog" doc:"The account that reacts, such as microblog:main."`
	TweetID    string           `port:"tweet_id" doc:"The id of the post, up to 19 digits."`
}

// reaction returns the function of a node that reacts to a post.
func (m *plugin) reaction(call string) func(context.Context, reactionIn) (service.Outcome, error) {
	return func(ctx context.Context, in reactionIn) (service.Outcome, error) {
		return service.Report(ctx, service.Done(m.react(ctx, call, in)))
	}
}

func (m *plugin) react(ctx context.Context, call string, in reactionIn) error {
	if err := checkID("tweet_id", in.TweetID); err != nil {
		return err
	}
	var answer struct {
		Data struct {
			Liked     *bool `json:"liked"`
			Retweeted *bool `json:"retweeted"`
			Reposted  *bool `json:"reposted"`
		} `json:"data"`
	}
	_, err := m.api.Do(ctx, service.Call{
		Name: call, Ref: in.Credential,
		Path:    map[string]string{"id": in.TweetID},
		Body:    map[string]string{"tweet_id": in.TweetID},
		Missing: "there is no post " + in.TweetID + "; it may have been removed",
	}, &answer)
	for _, done := range []*bool{answer.Data.Liked, answer.Data.Retweeted, answer.Data.Reposted} {
		if err == nil && done != nil && !*done {
			err = node.Errorf(node.CodeFailed, "microblog %s: the network did not do it and does not say why", call)
		}
	}
	return err
}

// messageNode returns the node microblog.send_dm.
func (m *plugin) messageNode() node.Node {
	return node.Func("microblog.send_dm", "Send a message", m.message).
		Once().
		Aliases("direct message, private message, write", "direktnachricht, privatnachricht").
		Example(map[string]any{"recipient_id": "1100000000000000003"}).Doc(
		"Sends a direct message. Calls `POST /2/dm_conversations/with/{participant_id}/dm_events`, or `…/messages` of the live " +
			"API; the account needs the scope `dm.write`, which the operator adds to `MICROBLOG_SCOPES` before it is connected.\n\n" +
			"If the network does not answer, `error` says `outcome unknown`: the message may have arrived, and is never sent twice. " +
			"The network takes 15 messages in 15 minutes from an account." + rules + limits + "\n\n" +
			"Example: `credential` = `microblog:main`, `recipient_id` = `12`, `text` = `Thank you!`.")
}

type messageIn struct {
	Credential  value.Credential `port:"credential" network:"microblog" doc:"The account that writes, such as microblog:main."`
	RecipientID string           `port:"recipient_id" doc:"The id of the user who gets it, as microblog.get_user_info gives it."`
	Text        string           `port:"text" widget:"multiline" doc:"What to write."`
}

type messageOut struct {
	MessageID *string `port:"message_id" doc:"The id of the message; null on failure."`
	service.Outcome
}

func (m *plugin) message(ctx context.Context, in messageIn) (messageOut, error) {
	id, err := m.deliver(ctx, in)
	outcome, err := service.Report(ctx, err)
	return messageOut{id, outcome}, err
}

func (m *plugin) deliver(ctx context.Context, in messageIn) (*string, error) {
	if err := checkID("recipient_id", in.RecipientID); err != nil {
		return nil, err
	}
	if strings.TrimSpace(in.Text) == "" {
		return nil, node.Errorf(node.CodeInvalidInput, "text is empty; write something")
	}
	var answer struct {
		Data struct {
			EventID *string `json:"dm_event_id"`
			ID      *string `json:"id"`
		} `json:"data"`
	}
	_, err := m.api.Do(ctx, service.Call{
		Name: "send_dm", Ref: in.Credential,
		Path:    map[string]string{"participant_id": in.RecipientID},
		Body:    map[string]string{"text": in.Text},
		Missing: "there is no user " + in.RecipientID,
	}, &answer)
	if answer.Data.EventID != nil {
		return answer.Data.EventID, err
	}
	return answer.Data.ID, err
}
