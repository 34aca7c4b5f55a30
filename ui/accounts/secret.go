package accounts

import (
	"encoding/json"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/ui/kit"
)

// secretFields ask for a credential: its kind, and the fields of the kind. An empty kind is a
// login.
type secretFields struct {
	object  *fyne.Container
	changed func()

	kind    *kit.Select
	kinds   []credentials.Kind // in the order of the choices
	entries map[string]*kit.Entry
	hosts   *kit.Entry
}

func newSecretFields(changed func()) *secretFields {
	s := &secretFields{object: kit.Column(12), changed: changed, kind: kit.NewSelect(nil, nil), hosts: kit.NewEntry()}
	s.hosts.SetPlaceHolder("api.example.com")
	s.kind.OnChanged = func(string) { s.ask() }
	return s
}

// offer offers the kinds of a network, one with logins or without, and clears the input.
func (s *secretFields) offer(login bool) {
	s.kinds = credentials.Kinds()
	if login {
		s.kinds = append([]credentials.Kind{""}, s.kinds...)
	}
	names := make([]string, len(s.kinds))
	for i, kind := range s.kinds {
		names[i] = kindName(kind)
	}
	s.kind.SetOptions(names)
	s.hosts.SetText("")
	s.kind.Selected = names[0]
	s.ask()
}

// choose selects a kind, as a user would.
func (s *secretFields) choose(kind credentials.Kind) {
	if slices.Contains(s.kinds, kind) {
		s.kind.Selected = kindName(kind)
		s.ask()
	}
}

// chosen returns the chosen kind.
func (s *secretFields) chosen() credentials.Kind {
	if i := s.kind.SelectedIndex(); i >= 0 && i < len(s.kinds) {
		return s.kinds[i]
	}
	return ""
}

// ask shows the fields of the chosen kind.
func (s *secretFields) ask() {
	kind := s.chosen()
	s.entries = map[string]*kit.Entry{}
	s.object.Objects = []fyne.CanvasObject{kit.NewField(lang.L("Kind"), "", nil, "", s.kind).Object()}
	for _, field := range kind.Fields() {
		entry := kit.NewEntry()
		switch {
		case field.Name == "pem":
			entry = kit.NewLongEntry()
		case field.Secret:
			entry = kit.NewSecretEntry()
		}
		s.entries[field.Name] = entry
		s.object.Add(kit.NewField(fieldName(kind, field.Name), "", nil, fieldHint(field), entry).Object())
	}
	if kind != "" && kind.Sent() {
		hint := lang.L("Only these hosts get it: api.example.com, *.example.com, http://127.0.0.1:8080. Several are separated by spaces. Empty: those of the network.")
		s.object.Add(kit.NewField(lang.L("Hosts"), "", nil, hint, s.hosts).Object())
	}
	s.object.Refresh()
	s.changed()
}

// credential returns the credential that the user has entered. Its error says what is wrong
// but never quotes the input.
func (s *secretFields) credential() (credentials.Credential, error) {
	all := map[string]any{"kind": s.chosen()}
	for name, entry := range s.entries {
		if entry.Text != "" || s.chosen() == credentials.KindBasic {
			all[name] = entry.Text
		}
	}
	if hosts := strings.FieldsFunc(s.hosts.Text, func(r rune) bool { return r == ' ' || r == ',' }); len(hosts) > 0 && s.chosen().Sent() {
		all["hosts"] = hosts
	}
	text, err := json.Marshal(all)
	if err != nil {
		return credentials.Credential{}, err
	}
	return credentials.Parse(string(text))
}

// kindName returns the name of a kind.
func kindName(kind credentials.Kind) string {
	switch kind {
	case "":
		return lang.L("Log in with the browser")
	case credentials.KindBearer:
		return lang.L("Token (bearer)")
	case credentials.KindBasic:
		return lang.L("User and password (basic)")
	case credentials.KindHeader:
		return lang.L("Key in a header")
	case credentials.KindQuery:
		return lang.L("Key in the address")
	case credentials.KindOAuth:
		return lang.L("Tokens of a login (oauth2)")
	case credentials.KindClientCredentials:
		return lang.L("Client credentials")
	case credentials.KindPassword:
		return lang.L("Password")
	case credentials.KindHMAC:
		return lang.L("Secret that signs (hmac)")
	case credentials.KindKey:
		return lang.L("Private key (PEM)")
	case credentials.KindDSN:
		return lang.L("Database (DSN)")
	}
	return string(kind)
}

// fieldName returns the label of a field.
func fieldName(kind credentials.Kind, name string) string {
	switch name {
	case "access_token":
		return lang.L("Token")
	case "refresh_token":
		return lang.L("Refresh token")
	case "expires_at":
		return lang.L("Valid until")
	case "scope", "scopes":
		return lang.L("Scopes")
	case "username":
		return lang.L("User")
	case "password":
		return lang.L("Password")
	case "name":
		if kind == credentials.KindHeader {
			return lang.L("Name of the header")
		}
		return lang.L("Name of the parameter")
	case "value":
		return lang.L("Key")
	case "token_url":
		return lang.L("Address for tokens")
	case "client_id":
		return lang.L("Client ID")
	case "client_secret":
		return lang.L("Client secret")
	case "secret":
		return lang.L("Secret")
	case "pem":
		return lang.L("Private key (PEM)")
	}
	return name
}

func fieldHint(field credentials.Field) string {
	if field.Optional {
		return lang.L("May be left empty.")
	}
	return ""
}
