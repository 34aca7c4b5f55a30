package pronet

import (
	"context"
	"strings"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/service"
)

// likeNode returns the node pronet.like_post.
func (p *plugin) likeNode() node.Node {
	return node.Func("pronet.like_post", "Like a post", p.like).
		Once().
		Aliases("react, thumbs up", "gefällt mir, reagieren").
		Example(map[string]any{"post_id": "urn:li:share:1800000000000000002"}).Doc(
		"Likes a post; one that is liked already is a success. Calls `POST /likes`, or `POST /v2/socialActions/{post}/likes` of the " +
			"live API; the account needs the scope `w_member_social`." + rules + limits + "\n\n" +
			"Example: `credential` = `pronet:main`, `post_id` = `urn:li:share:7140000000000000001`.")
}

type likeIn struct {
	Credential value.Credential `port:"credential" network:"pronet" doc:"The account that likes, such as pronet:main."`
	PostID     string           `port:"post_id" doc:"The URN of the post, such as urn:li:share:123, or the number in it."`
}

func (p *plugin) like(ctx context.Context, in likeIn) (service.Outcome, error) {
	return service.Report(ctx, service.Done(p.react(ctx, in)))
}

func (p *plugin) react(ctx context.Context, in likeIn) error {
	post, err := postURN(in.PostID)
	if err != nil {
		return err
	}
	author, scope, err := p.author(ctx, in.Credential)
	if err != nil {
		return err
	}
	_, err = p.api.Do(ctx, service.Call{
		Name: "like_post", Ref: in.Credential, Scope: scope,
		Path:    map[string]string{"post": post},
		Body:    map[string]string{"actor": author, "object": post},
		Missing: "there is no post " + post + "; it may have been removed",
	}, new(struct{}))
	return err
}

// messageNode returns the node pronet.send_message.
func (p *plugin) messageNode() node.Node {
	return node.Func("pronet.send_message", "Send a message", p.message).
		Once().
		Aliases("direct message, write, inbox", "nachricht senden, schreiben").
		Example(map[string]any{"recipient_id": "9HfGrace"}).Doc(
		"Sends a direct message to a connection. Calls `POST /messaging/conversations/{id}/events`, or `POST /v2/messages` of the live " +
			"API, which the network opens to its partners only (scope `w_messages`). If the network does not answer, `error` says `outcome " +
			"unknown`: the message may have arrived, and is never sent twice." + rules + limits + "\n\n" +
			"Example: `credential` = `pronet:main`, `recipient_id` = `yrZCpj2Z12`, `message` = `Thank you for your help!`.")
}

type messageIn struct {
	Credential  value.Credential `port:"credential" network:"pronet" doc:"The account that writes, such as pronet:main."`
	RecipientID string           `port:"recipient_id" doc:"The id of the member who gets it, as pronet.get_connections gives it."`
	Message     string           `port:"message" widget:"multiline" doc:"What to write, as plain text."`
}

type messageOut struct {
	MessageID *string `port:"message_id" doc:"The id of the message; null on failure, and if the network gives none."`
	service.Outcome
}

func (p *plugin) message(ctx context.Context, in messageIn) (messageOut, error) {
	id, err := p.deliver(ctx, in)
	outcome, err := service.Report(ctx, err)
	return messageOut{id, outcome}, err
}

func (p *plugin) deliver(ctx context.Context, in messageIn) (*string, error) {
	recipient, err := personURN(in.RecipientID)
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(in.Message) == "" {
		return nil, node.Errorf(node.CodeInvalidInput, "message is empty; write something")
	}
	var answer created
	header, err := p.api.Do(ctx, service.Call{
		Name: "send_message", Ref: in.Credential,
		Path:    map[string]string{"id": in.RecipientID},
		Body:    map[string]any{"recipients": []string{recipient}, "body": in.Message, "messageType": "MEMBER_TO_MEMBER"},
		Missing: "there is no member " + in.RecipientID + " among the connections",
	}, &answer)
	return answer.id(header), err
}
