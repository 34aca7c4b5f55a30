package trigger

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/service"
)

// The limits of a hook's settings.
const (
	mostHookBytes = 64 << 20
	longestAnswer = 10 * time.Minute
)

func webhookNode(secrets service.Resolver) node.Node {
	words := make([]string, 0, len(schemes()))
	for _, s := range schemes() {
		words = append(words, s.word)
	}
	texts := value.ListOf(value.String())
	return node.Node{
		Spec: node.Spec{
			Type: "trigger.webhook", Label: "Webhook", Role: node.RoleTrigger, Inline: true,
			Aliases: node.Words("http, hook, callback, endpoint, incoming, api", "http, rückruf, adresse, eingehend, schnittstelle"),
			Example: &node.Example{Config: map[string]any{"path": "orders", "auth": "header", "secret": "webhook:shop"}},
			Card:    node.Card{Shape: "card", Color: "#B45309", Icon: "globe"},
			Description: "Starts the workflow when somebody calls its address, `/hooks/` and `path`, once it is active.\n\n" +
				"Example: with `path` = `orders/{id}` and `secret` = `webhook:shop`, `POST /hooks/orders/17` with the header `Authorization: Bearer` and the " +
				"secret fires, and `params.id` is `17`.\n\n" +
				"`auth` says how callers prove who they are: `header` (the secret as a bearer token, or the header of a credential of that kind), " +
				"`basic`, `hmac` (as io.webhook_post signs with `X-Svc-Signature`), `standard` (Standard Webhooks), `github`, `slack`, `stripe`. With `none`, " +
				"whoever knows the path may call, so it needs a segment of 22 random characters. Signatures with a time are good for five minutes.\n\n" +
				"`respond` says what the caller gets: 202 and the id of the run at once, the outputs of the run (`result`), or what trigger.respond says " +
				"(`node`). What takes longer than `answerWithinMs` is answered with 202, and goes on. A delivery that comes again within a day gets the " +
				"id of its first run.",
			Inputs: []node.Port{
				setting(node.Port{Name: "path", Type: value.String(), Description: "The address below /hooks/, such as orders; a segment in braces, as in orders/{id}, stands for any."}),
				setting(node.Port{Name: "methods", Type: texts, Default: []any{http.MethodPost}, Description: "The methods that it takes."}),
				setting(node.Port{Name: "auth", Type: value.EnumOf(words...), Default: "header", Description: "How callers prove who they are."}),
				setting(node.Port{Name: "secret", Type: value.CredentialType(), Optional: true, Networks: []string{"webhook"}, Description: "What they prove it with, such as webhook:shop. Needed unless auth is none."}),
				setting(node.Port{Name: "respond", Type: value.EnumOf("accepted", "result", "node"), Default: "accepted", Description: "What the caller gets: the id of the run, its outputs, or what trigger.respond says."}),
				setting(node.Port{Name: "answerWithinMs", Type: value.Int(), Default: 30000, Description: "How many milliseconds the caller waits for that at most; up to ten minutes."}),
				setting(node.Port{Name: "maxBytes", Type: value.Int(), Default: 1 << 20, Description: "How many bytes a body may have; up to 64 MiB."}),
				setting(node.Port{Name: "dedupeHeader", Type: value.String(), Optional: true, Description: "The header that names a delivery. Those of github, standard and stripe are known."}),
				setting(node.Port{Name: "allowedOrigins", Type: texts, Optional: true, Description: "Origins whose pages may call it, such as https://shop.example; * is any."}),
				sampleSetting(),
			},
			Outputs: []node.Port{
				{Name: "body", Type: value.Any(), Description: "What the body says: JSON as a value, a form as a record, text as text, anything else in base64; null without one. Text is decoded by the encoding that the sender names; what fits none is in base64."},
				{Name: "raw", Type: value.String(), Description: "The body as it came, byte for byte, for signatures; encoding says how."},
				{Name: "encoding", Type: value.EnumOf(encodingText, encodingBase64, encodingNone), Description: "What raw holds: text (UTF-8), the bytes in base64, or none: a form with files of more than 1 MiB, whose raw is empty."},
				{Name: "query", Type: value.RecordOf(), Description: "The parameters of the query by name; one that comes several times is a list."},
				{Name: "headers", Type: value.RecordOf(), Description: "The headers by name, in lower case, without those that hold secrets."},
				{Name: "params", Type: value.RecordOf(), Description: "What stands for the segments in braces, by name."},
				{Name: "method", Type: value.String(), Description: "Such as POST."},
				{Name: "files", Type: value.ListOf(value.Any()), Description: "The files in a form of parts: media, with the name of the form's field in field and the sender's name of the file in filename. They are kept as long as the run."},
				{Name: "remote", Type: value.String(), Description: "The address that the call came from."},
			},
		},
		Bind: func(b node.Binding) (node.Bound, []node.Problem) { return bindWebhook(b, secrets) },
	}
}

// webhook accepts HTTP calls.
type webhook struct {
	scheme   scheme
	secrets  service.Resolver
	secret   value.Credential
	delivery string
	awaits   node.Awaits
	within   time.Duration
}

func bindWebhook(b node.Binding, secrets service.Resolver) (node.Bound, []node.Problem) {
	text := func(port string) string { s, _ := b.Config[port].(string); return s }
	h := &webhook{scheme: schemeOf(text("auth")), secrets: secrets, delivery: text("dedupeHeader"), awaits: node.Awaits(text("respond"))}
	h.secret, _ = b.Config["secret"].(value.Credential)
	methods, problems := hookMethods(b.Config["methods"])
	problems = append(problems, hookPath(text("path"), h.scheme.check != nil)...)
	if h.scheme.check != nil && h.secret == "" {
		problems = append(problems, node.Problem{Port: "secret", Message: "auth = " + h.scheme.word + " needs a secret", Hint: "name an account of the network webhook, such as webhook:shop"})
	}
	within, _ := b.Config["answerWithinMs"].(int)
	if h.within = time.Duration(within) * time.Millisecond; within < 1 || h.within > longestAnswer {
		problems = append(problems, node.Invalid("answerWithinMs", "it is a number from 1 to %d", longestAnswer.Milliseconds()))
	}
	most, _ := b.Config["maxBytes"].(int)
	if most < 0 || most > mostHookBytes {
		problems = append(problems, node.Invalid("maxBytes", "it is a number from 0 to %d", mostHookBytes))
	}
	sample, wrong := sampleOf(b.Config["sample"], b.Spec.Outputs)
	if problems = append(problems, wrong...); len(problems) > 0 {
		return node.Bound{}, problems
	}
	return node.Bound{
		Inputs: b.Spec.Inputs, Outputs: b.Spec.Outputs,
		Sample: func(time.Time) map[string]any { return with(map[string]any{"method": methods[0]}, sample) },
		Source: node.Hook{Methods: methods, Path: text("path"), MaxBytes: most, Origins: words(b.Config["allowedOrigins"]), Ready: h.ready, Accept: h.accept},
	}, nil
}

// words returns the texts in a list.
func words(list any) (all []string) {
	items, _ := list.([]any)
	for _, item := range items {
		if word, ok := item.(string); ok {
			all = append(all, word)
		}
	}
	return all
}

func hookMethods(list any) ([]string, []node.Problem) {
	known := []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}
	methods := words(list)
	if len(methods) == 0 || len(methods) == 1 && methods[0] == http.MethodHead {
		return nil, []node.Problem{node.Invalid("methods", "say which methods it takes; HEAD alone never fires")}
	}
	for _, m := range methods {
		if !slices.Contains(known, m) {
			return nil, []node.Problem{node.Invalid("methods", "%.40q is none of GET, HEAD, POST, PUT, PATCH and DELETE", m)}
		}
	}
	return methods, nil
}

// ready returns an error if there is no secret to check calls with.
func (h *webhook) ready(ctx context.Context) error {
	if h.scheme.check == nil {
		return nil
	}
	_, err := h.secrets.Resolve(ctx, h.secret)
	return err
}

// accept answers a call.
func (h *webhook) accept(ctx context.Context, call *node.HookCall) (node.HookAnswer, error) {
	hidden, err := h.prove(ctx, call)
	if err != nil {
		return node.HookAnswer{}, err
	}
	c, err := contentOf(call)
	if err != nil {
		return node.HookAnswer{}, err
	}
	if reply := h.handshake(c.body); reply != nil {
		return node.HookAnswer{Reply: reply}, nil
	}
	params := make(map[string]any, len(call.Params))
	for name, text := range call.Params {
		params[name] = text
	}
	f := &node.Firing{Outputs: map[string]any{
		"body": c.body, "raw": c.raw, "encoding": c.encoding, "query": record(decodedForm(call.Query, "")), "headers": headers(call, hidden), "params": params, "method": call.Method, "remote": call.Remote,
	}}
	media := make([]any, len(c.files))
	for i := range c.files {
		file := &c.files[i]
		file.Put = func(m value.Media) { media[i] = file.output(m) }
		f.Files = append(f.Files, file.Upload)
	}
	f.Outputs["files"] = media
	if id := h.scheme.deliveryOf(h.delivery, call); id != "" {
		f.Key = "delivery " + id
	}
	return node.HookAnswer{Firing: f, Awaits: h.awaits, Within: h.within}, nil
}

// handshake answers Slack's url_verification request, whose signature was checked before.
func (h *webhook) handshake(body any) *node.Reply {
	asked, _ := body.(map[string]any)
	challenge, ok := asked["challenge"].(string)
	if h.scheme.word != "slack" || asked["type"] != "url_verification" || !ok {
		return nil
	}
	return &node.Reply{Status: http.StatusOK, Type: "text/plain; charset=utf-8", Body: []byte(challenge)}
}
