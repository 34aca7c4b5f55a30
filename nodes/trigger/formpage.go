package trigger

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

//go:embed form.html form.css
var formFiles embed.FS

// formPages renders the pages of forms.
type formPages struct {
	style  template.CSS
	digest string // hash of the style for content security policies
	text   func() (*template.Template, error)
}

func newFormPages() *formPages {
	style, _ := formFiles.ReadFile("form.css") // it is embedded
	digest := sha256.Sum256(style)
	return &formPages{
		style: template.CSS(style), digest: "'sha256-" + base64.StdEncoding.EncodeToString(digest[:]) + "'", //nolint:gosec // the style is embedded
		text: sync.OnceValues(func() (*template.Template, error) { return template.ParseFS(formFiles, "form.html") }),
	}
}

// view is the data of the page's template.
type view struct {
	Title, Text string
	Style       template.CSS
	Notice      string // why the form is shown again
	Token       string
	Fields      []asked // empty on a page without a form
	Shown       []shown
	Again       bool // links back to the form
}

// Faulty returns the fields with mistakes.
func (v *view) Faulty() []asked {
	return slices.DeleteFunc(slices.Clone(v.Fields), func(a asked) bool { return a.Fault == "" })
}

// Upload reports whether the form has a file field.
func (v *view) Upload() bool {
	return slices.ContainsFunc(v.Fields, func(a asked) bool { return a.Type == typeFile })
}

// Marked reports whether the form has a required field.
func (v *view) Marked() bool {
	return slices.ContainsFunc(v.Fields, func(a asked) bool { return a.Required })
}

// asked is a field for the template.
type asked struct {
	Name, Label, Type string
	Required          bool
	Choices           []string
	Text              string // current value
	Ticked            bool
	Fault             string
	Chosen            string // name of a file that the user must choose again
}

// shown is an output of a run.
type shown struct{ Name, Text string }

// asked returns the fields of a new page, filled in from the query or the defaults.
func (f *form) asked(given map[string][]string) []asked {
	s, all := sent{texts: given}, make([]asked, len(f.fields))
	for i := range f.fields {
		field := &f.fields[i]
		ticked, _ := field.byDefault.(bool)
		all[i] = asked{Name: field.name, Label: field.label, Type: field.typ, Required: field.required, Choices: field.choices, Text: field.defaultText(), Ticked: ticked}
		if _, ok := given[field.name]; ok {
			all[i].Text, _ = tidy(field.typ, s.text(field.name))
			all[i].Ticked = all[i].Text != ""
		}
	}
	return all
}

// typed returns the fields with the texts that the user has sent.
func (f *form) typed(s sent, faults map[string]string) []asked {
	all := f.asked(nil)
	for i := range all {
		a := &all[i]
		a.Text, _ = tidy(a.Type, s.text(a.Name))
		a.Ticked, a.Fault = a.Text != "", faults[a.Name]
		if file := s.file(a.Name); file != nil {
			a.Chosen = file.Name
		}
	}
	return all
}

// refused shows the form again with the submitted texts, if the caller may see it.
func (f *form) refused(ctx context.Context, call *node.HookCall, status int, message string) node.Reply {
	notice := sentence(message)
	seal, err := f.prove(ctx, call)
	if err != nil {
		page := f.page(status, &view{Title: http.StatusText(status), Text: notice})
		if status == http.StatusUnauthorized {
			page.Header["Www-Authenticate"] = []string{`Basic realm="form", charset="UTF-8"`}
		}
		return page
	}
	v := &view{Notice: notice, Token: seal.issue(call.Now), Fields: f.asked(decodedForm(call.Query, ""))}
	if len(call.Body) > 0 {
		if s, err := sentWith(call); err == nil {
			_, faults := f.read(s)
			v.Fields = f.typed(s, faults)
			if len(faults) > 0 {
				v.Notice = "Some answers are not right yet."
			}
		}
	}
	return f.page(status, v)
}

// ended returns the page after the form.
func (f *form) ended(end node.HookEnd) node.Reply {
	switch {
	case end.Failed:
		return f.page(http.StatusInternalServerError, &view{Text: "Your answer has arrived, but what comes after it has failed. Its number is " + end.RunID + "."})
	case end.Late:
		return f.page(http.StatusAccepted, &view{Text: "Your answer has arrived. What comes after it takes longer, and goes on. Its number is " + end.RunID + "."})
	case f.respond == respondRedirect:
		return node.Reply{Status: http.StatusSeeOther, Header: map[string][]string{"Location": {f.to}}}
	}
	v := &view{Text: f.text, Again: true}
	if f.respond == "result" {
		for _, name := range slices.Sorted(maps.Keys(end.Outputs)) {
			text, ok := end.Outputs[name].(string)
			if !ok {
				text = string(value.Indent(nil, end.Outputs[name]))
			}
			v.Shown = append(v.Shown, shown{name, text})
		}
	}
	return f.page(http.StatusOK, v)
}

// page renders a page. Its content security policy forbids loading resources and scripts,
// and allows submitting only to its own origin. If the form redirects to another origin,
// the policy allows that, too.
func (f *form) page(status int, v *view) node.Reply {
	if v.Style = f.draw.style; v.Title == "" {
		v.Title = f.title
	}
	if v.Fields != nil {
		v.Text = f.description
	}
	var text bytes.Buffer
	t, err := f.draw.text()
	if err == nil {
		err = t.Execute(&text, v)
	}
	if err != nil { // rendering an embedded template
		return node.Reply{Status: http.StatusInternalServerError, Type: "text/plain; charset=utf-8", Body: fmt.Appendf(nil, "the page cannot be drawn: %v", err)}
	}
	return node.Reply{Status: status, Type: "text/html; charset=utf-8", Body: text.Bytes(), Header: map[string][]string{
		"Content-Security-Policy": {"default-src 'none'; style-src " + f.draw.digest + "; form-action 'self'" + f.leadsTo() + "; base-uri 'none'; frame-ancestors 'none'"},
		"Referrer-Policy":         {"same-origin"}, // without it browsers omit the origin of a submission
		"X-Robots-Tag":            {"noindex"},
	}}
}

// leadsTo returns the origin of the redirect, with a leading space, or "".
func (f *form) leadsTo() string {
	if u, err := destination(f.to); f.respond == respondRedirect && err == nil {
		return " " + u.Scheme + "://" + u.Host
	}
	return ""
}

// sentence formats a message as a sentence.
func sentence(message string) string {
	if message == "" {
		return ""
	}
	message = strings.ToUpper(message[:1]) + message[1:]
	if strings.ContainsAny(message[len(message)-1:], ".!?") {
		return message
	}
	return message + "."
}
