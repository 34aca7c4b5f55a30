package trigger

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/time/rate"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/service"
)

// The limits of a form, in addition to those of a hook.
const (
	longestTitle = 200
	longestWords = 10_000 // of the texts before and after the form
	// formBurst is how many answers a form accepts at once; after that it accepts one per
	// second. This is enough for people, and keeps programs from flooding the inbox.
	formBurst = 60
)

// respondRedirect redirects the browser to another page after the answer.
const respondRedirect = "redirect"

func formNode(secrets service.Resolver) node.Node {
	draw := newFormPages()
	return node.Node{
		Spec: node.Spec{
			Type: "trigger.form", Label: "Form", Role: node.RoleTrigger, Inline: true,
			Aliases: node.Words("form, page, ask, survey, contact, upload, input", "formular, seite, fragen, umfrage, kontakt, hochladen, eingabe"),
			Example: &node.Example{Config: map[string]any{"path": "contact", "auth": "basic", "secret": "webhook:forms", "title": "Contact", "fields": []any{map[string]any{"name": "text", "type": "long"}}}},
			Card:    node.Card{Shape: "card", Color: "#B45309", Icon: "list"},
			Description: "Starts the workflow when somebody fills a form in. The server shows it at `/hooks/` and `path`, once the workflow is active; it works on " +
				"phones, and in browsers without scripts.\n\n" +
				"Example: with `fields` = `[{\"name\": \"mail\", \"label\": \"Your email\", \"type\": \"email\", \"required\": true}, {\"name\": \"cv\", \"type\": \"file\"}]` " +
				"the outputs are `mail`, `cv` and `submittedAt`.\n\n" +
				"A field has a `name`, which is its output, and may have `label`, `type` (`text`, `long`, `number`, `email`, `date`, `choice`, `checkbox`, `file`), " +
				"`required`, `choices` and `default`. Texts, dates as 2026-01-31 and choices that are left out are empty texts, numbers and files null. Files become files of the run. What " +
				"does not fit is asked for again, with what was typed. Parameters of the address fill fields in: `?mail=ada@example.com`.\n\n" +
				"With `auth` = `none` whoever knows the path may fill it in, so it needs a segment of 22 random characters; with `basic` browsers ask for user and password. " +
				"Sending the same page twice makes one run. A form takes 60 answers at once, and then one a second.",
			Inputs:  formInputs(),
			Outputs: []node.Port{{Name: "submittedAt", Type: value.String(), Description: "When it was sent, in UTC."}},
		},
		Bind: func(b node.Binding) (node.Bound, []node.Problem) { return bindForm(b, secrets, draw) },
	}
}

func formInputs() []node.Port {
	return []node.Port{
		setting(node.Port{Name: "path", Type: value.String(), Description: "The address below /hooks/, such as contact."}),
		setting(node.Port{Name: "title", Type: value.String(), Description: "What the form is called."}),
		setting(node.Port{Name: "description", Type: value.String(), Optional: true, Widget: "multiline", Description: "What stands above the fields."}),
		setting(node.Port{Name: "fields", Type: value.ListOf(value.RecordOf()), Widget: "json", Description: "What is asked for: records of name, label, type, required, choices and default."}),
		setting(node.Port{Name: "auth", Type: value.EnumOf("none", "basic"), Default: "none", Description: "Who may fill it in: who knows the path, or who has user and password."}),
		setting(node.Port{Name: "secret", Type: value.CredentialType(), Optional: true, Networks: []string{"webhook"}, Description: "User and password, such as webhook:forms. Needed if auth is basic."}),
		setting(node.Port{Name: "respond", Type: value.EnumOf("text", "result", respondRedirect), Default: "text", Description: "What comes after it: a text, the outputs of the run, or another page."}),
		setting(node.Port{Name: "respondText", Type: value.String(), Default: "Thank you. Your answer has arrived.", Widget: "multiline", Description: "The text that comes after it."}),
		setting(node.Port{Name: "redirectTo", Type: value.String(), Optional: true, Description: "The address of the page that comes after it, such as https://shop.example/thanks."}),
		setting(node.Port{Name: "answerWithinMs", Type: value.Int(), Default: 30000, Description: "How many milliseconds the outputs of the run are waited for at most; up to ten minutes."}),
		setting(node.Port{Name: "maxBytes", Type: value.Int(), Default: 10 << 20, Description: "How many bytes an answer may have, files included; up to 64 MiB."}),
		sampleSetting(),
	}
}

// form shows a form and accepts its answers.
type form struct {
	path, title, description string
	fields                   []field
	scheme                   scheme
	secrets                  service.Resolver
	secret                   value.Credential
	respond, text, to        string
	within                   time.Duration
	budget                   *rate.Limiter
	draw                     *formPages
}

func bindForm(b node.Binding, secrets service.Resolver, draw *formPages) (node.Bound, []node.Problem) {
	text := func(port string) string { s, _ := b.Config[port].(string); return s }
	f := &form{
		path: text("path"), title: text("title"), description: text("description"), scheme: schemeOf(text("auth")), secrets: secrets,
		respond: text("respond"), text: text("respondText"), to: text("redirectTo"), budget: rate.NewLimiter(1, formBurst), draw: draw,
	}
	f.secret, _ = b.Config["secret"].(value.Credential)
	problems := f.checkSettings()
	within, _ := b.Config["answerWithinMs"].(int)
	if f.within = time.Duration(within) * time.Millisecond; within < 1 || f.within > longestAnswer {
		problems = append(problems, node.Invalid("answerWithinMs", "it is a number from 1 to %d", longestAnswer.Milliseconds()))
	}
	most, _ := b.Config["maxBytes"].(int)
	if most < 1 || most > mostHookBytes {
		problems = append(problems, node.Invalid("maxBytes", "it is a number from 1 to %d", mostHookBytes))
	}
	var wrong []node.Problem
	f.fields, wrong = fieldsOf(b.Config["fields"])
	if problems = append(problems, wrong...); len(problems) > 0 {
		return node.Bound{}, problems
	}
	outputs := f.outputs(b.Spec.Outputs)
	sample, problems := sampleOf(b.Config["sample"], outputs)
	if len(problems) > 0 {
		return node.Bound{}, problems
	}
	return node.Bound{
		Inputs: b.Spec.Inputs, Outputs: outputs,
		Sample: func(now time.Time) map[string]any { return with(f.untouched(now), sample) },
		Source: node.Hook{
			Methods: []string{http.MethodGet, http.MethodPost}, Path: f.path, MaxBytes: most, Ready: f.ready, Accept: f.accept,
			Page: &node.HookPage{Refused: f.refused, Ended: f.ended},
		},
	}, nil
}

// checkSettings checks the settings that do not depend on others.
func (f *form) checkSettings() []node.Problem {
	problems := hookPath(f.path, f.scheme.check != nil)
	if strings.Contains(f.path, "{") {
		problems = append(problems, node.Invalid("path", "a form has one address, without braces"))
	}
	if f.scheme.check != nil && f.secret == "" {
		problems = append(problems, node.Problem{Port: "secret", Message: "auth = basic needs a secret", Hint: "name an account of the network webhook, such as webhook:forms"})
	}
	if strings.TrimSpace(f.title) == "" || len(f.title) > longestTitle {
		problems = append(problems, node.Invalid("title", "say what the form is called, in up to %d bytes", longestTitle))
	}
	for port, text := range map[string]string{"description": f.description, "respondText": f.text} {
		if len(text) > longestWords {
			problems = append(problems, node.Invalid(port, "it has up to %d bytes", longestWords))
		}
	}
	if _, err := destination(f.to); f.respond == respondRedirect && err != nil {
		problems = append(problems, node.Invalid("redirectTo", "%v", err))
	}
	return problems
}

// destination parses the URL of a redirect.
func destination(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.User != nil || u.Scheme != "https" && u.Scheme != "http" {
		return nil, fmt.Errorf("%.100q is no address of a page; write it as https://shop.example/thanks", text)
	}
	return u, nil
}

// outputs returns a port for each field, and those that every form has.
func (f *form) outputs(rest []node.Port) []node.Port {
	ports := make([]node.Port, 0, len(f.fields)+len(rest))
	for i := range f.fields {
		ports = append(ports, f.fields[i].port())
	}
	return append(ports, rest...)
}

// untouched returns the outputs of a form that was submitted empty.
func (f *form) untouched(now time.Time) map[string]any {
	outputs := map[string]any{"submittedAt": now.UTC().Format(timeLayout)}
	for i := range f.fields {
		if d := f.fields[i].byDefault; d != nil {
			outputs[f.fields[i].name] = d
		}
	}
	return outputs
}

// ready returns an error if there is no secret to check people with.
func (f *form) ready(ctx context.Context) error {
	if f.scheme.check == nil {
		return nil
	}
	_, err := f.secrets.Resolve(ctx, f.secret)
	return err
}

// accept shows the form, or accepts a submission.
func (f *form) accept(ctx context.Context, call *node.HookCall) (node.HookAnswer, error) {
	seal, err := f.prove(ctx, call)
	if err != nil {
		return node.HookAnswer{}, err
	}
	if call.Method != http.MethodPost {
		page := f.page(http.StatusOK, &view{Token: seal.issue(call.Now), Fields: f.asked(decodedForm(call.Query, ""))})
		return node.HookAnswer{Reply: &page}, nil
	}
	sent, err := sentWith(call)
	if err != nil {
		return node.HookAnswer{}, err
	}
	outputs, faults := f.read(sent)
	if len(faults) > 0 {
		return node.HookAnswer{}, malformed(http.StatusUnprocessableEntity, "form_invalid", f.listed(faults))
	}
	once, err := seal.open(sent.text(tokenField), call.Now)
	if err != nil {
		return node.HookAnswer{}, err
	}
	if !f.budget.AllowN(call.Now, 1) {
		return node.HookAnswer{}, malformed(http.StatusTooManyRequests, "rate_limited", "too many answers come at once; send yours again in a minute")
	}
	outputs["submittedAt"] = call.Now.UTC().Format(timeLayout)
	firing := &node.Firing{Key: "form " + once + sent.digest(f.fields), Outputs: outputs}
	for i := range sent.files {
		file := &sent.files[i]
		if f.has(file.field) {
			file.Put = func(m value.Media) { outputs[file.field] = file.output(m) }
			firing.Files = append(firing.Files, file.Upload)
		}
	}
	awaits := node.AwaitAccepted
	if f.respond == "result" {
		awaits = node.AwaitResult
	}
	return node.HookAnswer{Firing: firing, Awaits: awaits, Within: f.within}, nil
}

// prove authenticates a request, and returns the key of the form's tokens.
func (f *form) prove(ctx context.Context, call *node.HookCall) (seal, error) {
	if f.scheme.check == nil {
		return newSeal(f.path, ""), nil
	}
	c, err := f.secrets.Resolve(ctx, f.secret)
	if err != nil {
		return seal{}, err
	}
	return newSeal(f.path, c.Access.Reveal()), f.scheme.check(&c, call)
}
