package credentials

import (
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/http/httpguts"

	"github.com/svcflow/svc/credentials/network"
)

// Parse reads a credential as the environment, files, vaults and users give it: a bare
// token, JSON with access_token, refresh_token, expires_at, scope and hosts, or JSON
// with the fields of the [Kind] that it names, and no others. Its errors repeat nothing
// of text.
func Parse(text string) (Credential, error) {
	c, _, err := ParseNamed(text)
	return c, err
}

// ParseNamed is [Parse], and returns the account that the text says it is of, "" if it
// says none.
func ParseNamed(text string) (c Credential, account string, err error) {
	text = strings.TrimPrefix(text, byteOrderMark)
	if !strings.HasPrefix(text, "{") {
		c = Credential{Access: NewSecret(text)}
		return c, "", c.checkAccess()
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &object); err != nil {
		return c, "", wordless(err)
	}
	f := fields{object: object}
	c.Kind, account = Kind(f.text("kind")), f.text("account")
	c.Hosts = f.list("hosts")
	if _, named := object["kind"]; named {
		f.only(c.Kind)
	}
	f.read(&c)
	if f.err != nil {
		return Credential{}, account, f.err
	}
	return c, account, c.Check()
}

// byteOrderMark begins what some editors save. It belongs to no secret.
const byteOrderMark = "\ufeff"

// fields are the members of an object, and the first mistake in them.
type fields struct {
	object map[string]json.RawMessage
	err    error
}

// only refuses members that a credential of the kind does not have.
func (f *fields) only(kind Kind) {
	known := []string{"kind", "account", "hosts"}
	var names []string
	for _, field := range kind.Fields() {
		names = append(names, field.Name)
	}
	if names == nil {
		f.fail(errors.New("kind is none of " + kindList()))
		return
	}
	for name := range f.object {
		if !slices.Contains(known, name) && !slices.Contains(names, name) {
			f.fail(fmt.Errorf("there is a field that a credential of the kind %s does not have; it has %s and hosts", kind, strings.Join(names, ", ")))
		}
	}
}

func kindList() string {
	var names []string
	for _, kind := range Kinds() {
		names = append(names, string(kind))
	}
	return strings.Join(names, ", ")
}

// read fills c with the fields of its kind.
func (f *fields) read(c *Credential) {
	secret := func(name string) Secret { return NewSecret(f.text(name)) }
	switch c.Kind {
	case "", KindBearer, KindOAuth:
		c.Access, c.Refresh = secret("access_token"), secret("refresh_token")
		c.ExpiresAt = f.time("expires_at")
		c.Scopes = f.list("scope")
	case KindBasic, KindPassword:
		c.User, c.Access = f.text("username"), secret("password")
		f.needs(c.Kind)
	case KindHeader, KindQuery:
		c.Name, c.Access = f.text("name"), secret("value")
	case KindClientCredentials:
		c.Client = ClientCredentials{TokenURL: f.text("token_url"), ID: f.text("client_id"), Secret: secret("client_secret")}
		c.Scopes = f.list("scopes")
	case KindHMAC:
		c.Access = secret("secret")
	case KindKey:
		c.Access = secret("pem")
	case KindDSN:
		c.Access = secret("dsn")
	}
}

// needs refuses a user and password of which one is not mentioned. One of them may be empty
// with HTTP, as many services take a key as the user, without a password.
func (f *fields) needs(kind Kind) {
	names := []string{"password"}
	if kind == KindBasic {
		names = append(names, "username")
	}
	for _, name := range names {
		if _, given := f.object[name]; !given {
			f.fail(fmt.Errorf(`%s: it is missing; write "" if there is none`, name))
		}
	}
}

func (f *fields) fail(err error) {
	if f.err == nil {
		f.err = err
	}
}

// text returns a member that is a string; null is like one that is not there.
func (f *fields) text(name string) string {
	var text string
	if raw, ok := f.object[name]; ok && json.Unmarshal(raw, &text) != nil {
		f.fail(fmt.Errorf("%s: expected a string", name))
	}
	return text
}

// list returns the words of a member that is a string or a list of them.
func (f *fields) list(name string) []string {
	raw, ok := f.object[name]
	if !ok {
		return nil
	}
	var words []string
	if strings.HasPrefix(string(raw), "[") {
		if json.Unmarshal(raw, &words) != nil {
			f.fail(fmt.Errorf("%s: expected a list of strings", name))
		}
		return words
	}
	if text := f.text(name); text != "" {
		words = strings.Fields(text)
	}
	return words
}

// maxUnix is the end of the year 9999.
const maxUnix = 253402300799

// time returns a member that is an RFC 3339 string, Unix seconds, or nothing. Seconds
// may be in quotes, as tools write them that know no numbers.
func (f *fields) time(name string) time.Time {
	text := string(f.object[name])
	if text == "" || text == "null" {
		return time.Time{}
	}
	if strings.HasPrefix(text, `"`) {
		text = f.text(name)
	}
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return t.UTC()
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && n > 0 && n <= maxUnix {
		return time.Unix(n, 0).UTC()
	}
	f.fail(fmt.Errorf("%s: expected a time such as 2026-12-31T23:59:59Z, or Unix time in seconds", name))
	return time.Time{}
}

// Check reports what makes c unusable, usually a mistake made while copying it. Its
// errors quote nothing of a secret.
func (c Credential) Check() error {
	for _, host := range c.Hosts {
		if err := network.CheckHost(host); err != nil {
			return fmt.Errorf("hosts: %w", err)
		}
	}
	switch c.Kind {
	case KindClientCredentials:
		return c.Client.check()
	case KindKey:
		if block, _ := pem.Decode([]byte(c.Access.Reveal())); block == nil {
			return errors.New("pem: it is no key in PEM, which begins with -----BEGIN")
		}
		return nil
	case KindBasic:
		if c.User != "" && (strings.Contains(c.User, ":") || checkText(c.User) != nil) {
			return errors.New("username: it has a colon, a control character, or white space at an end")
		}
		if c.Access.IsZero() && c.User != "" {
			return nil // many services take a key as the user, without a password
		}
	case KindHeader:
		if !httpguts.ValidHeaderFieldName(c.Name) || isConnectionHeader(c.Name) {
			return errors.New("name: it is missing, or no header that can be set")
		}
	case KindQuery:
		if c.Name == "" || checkText(c.Name) != nil {
			return errors.New("name: it is missing or has a control character in it")
		}
	}
	if err := c.checkAccess(); err != nil {
		return fmt.Errorf("%s: %w", c.Kind.accessField(), err)
	}
	if c.Refresh.IsZero() {
		return nil
	}
	if err := checkText(c.Refresh.Reveal()); err != nil {
		return fmt.Errorf("refresh_token: %w", err)
	}
	return nil
}

// checkAccess reports what makes the Access of c unusable.
func (c Credential) checkAccess() error {
	text := c.Access.Reveal()
	if c.Kind == "" || c.Kind == KindBearer || c.Kind == KindOAuth {
		if word, _, two := strings.Cut(text, " "); two && strings.EqualFold(strings.TrimSuffix(word, ":"), "bearer") {
			return errors.New(`it begins with the word "Bearer", which is added when it is sent; leave the word out`)
		}
	}
	return checkText(text)
}

// accessField is the name of the field that is a credential's Access.
func (k Kind) accessField() string {
	for _, field := range k.Fields() {
		if field.Secret {
			return field.Name
		}
	}
	return "access_token"
}

// isConnectionHeader reports whether a header is what a transport sets or needs.
func isConnectionHeader(name string) bool {
	switch strings.ToLower(name) {
	case "host", "content-length", "content-type", "transfer-encoding", "connection", "upgrade", "te", "trailer", "expect", "keep-alive", "accept-encoding":
		return true
	}
	return false
}

func (c ClientCredentials) check() error {
	if err := network.CheckAddress(c.TokenURL); err != nil {
		return fmt.Errorf("token_url: it %w", err)
	}
	if err := checkText(c.ID); err != nil {
		return fmt.Errorf("client_id: %w", err)
	}
	if err := checkText(c.Secret.Reveal()); err != nil {
		return fmt.Errorf("client_secret: %w", err)
	}
	return nil
}

// CheckFor is [Credential.Check], and checks that c fits a network: a credential that is
// sent needs hosts, unless the network has them.
func (c Credential) CheckFor(n network.Network) error {
	if n.Kind == network.KindAny && c.Kind.Sent() && len(c.Hosts) == 0 {
		if c.Kind == "" {
			return fmt.Errorf(`a bare text does not say where it may be sent; write {"kind":"bearer","access_token":"…","hosts":["api.example.com"]}, or use svc credentials set %s:…`, n.Name)
		}
		return errors.New("hosts: name those that it may be sent to, such as api.example.com")
	}
	return c.Check()
}

// Fields returns the stored fields of c, by name: the JSON form that [Parse] reads. It
// refuses what Parse would refuse; its errors wrap [ErrMalformed] and quote nothing of
// a secret.
func (c Credential) Fields() (map[string]any, error) {
	if err := c.Check(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	all := map[string]any{}
	put := func(name, text string) {
		if text != "" {
			all[name] = text
		}
	}
	put("kind", string(c.Kind))
	if len(c.Hosts) > 0 {
		all["hosts"] = c.Hosts
	}
	switch c.Kind {
	case KindBasic, KindPassword:
		put("username", c.User)
	case KindHeader, KindQuery:
		put("name", c.Name)
	case KindClientCredentials:
		put("token_url", c.Client.TokenURL)
		put("client_id", c.Client.ID)
		put("client_secret", c.Client.Secret.Reveal())
		put("scopes", strings.Join(c.Scopes, " "))
		return all, nil
	case "", KindOAuth:
		put("refresh_token", c.Refresh.Reveal())
		put("scope", strings.Join(c.Scopes, " "))
		if !c.ExpiresAt.IsZero() {
			put("expires_at", c.ExpiresAt.UTC().Format(time.RFC3339))
		}
	}
	put(c.Kind.accessField(), c.Access.Reveal())
	if c.Kind == KindBasic {
		all["username"], all["password"] = c.User, c.Access.Reveal()
	}
	return all, nil
}

// wordless says where JSON is wrong without quoting it, as messages of encoding/json do.
func wordless(err error) error {
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("bad JSON at offset %d", syntax.Offset)
	}
	return errors.New("bad JSON")
}

// checkText reports what makes a secret unusable.
func checkText(text string) error {
	switch {
	case text == "":
		return errors.New("it is missing or empty")
	case !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl):
		return errors.New("it contains a line end, a control character or bad UTF-8")
	}
	first, _ := utf8.DecodeRuneInString(text)
	last, _ := utf8.DecodeLastRuneInString(text)
	for _, r := range []rune{first, last} {
		switch {
		case r == ' ':
			return errors.New("it begins or ends with white space")
		case unicode.IsSpace(r) || unicode.Is(unicode.Cf, r):
			return fmt.Errorf("it begins or ends with an invisible character, %U, which was copied with it; remove that", r)
		}
	}
	return nil
}
