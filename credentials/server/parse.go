package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/svcflow/svc/credentials"
)

// stored is the JSON form of a credential: that of a network's token response,
// except that the time of expiry is absolute.
type stored struct {
	AccessToken  string          `json:"access_token"`
	RefreshToken string          `json:"refresh_token"`
	ExpiresAt    json.RawMessage `json:"expires_at"`
	Scope        string          `json:"scope"`
	// Account says whose it is, where references share a variable.
	Account string `json:"account"`
}

// Parse reads a credential as the environment, the file and the vault hold it: a
// bare token, or JSON with access_token, refresh_token, expires_at and scope. Its
// errors repeat nothing of text.
func Parse(text string) (credentials.Credential, error) {
	c, _, err := parse(text)
	return c, err
}

// parse is Parse, and returns the name of the account if the text has it.
func parse(text string) (c credentials.Credential, account string, err error) {
	if !strings.HasPrefix(text, "{") {
		return credentials.Credential{Access: credentials.NewSecret(text)}, "", checkToken(text)
	}
	var s stored
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return c, "", wordless(err)
	}
	c, err = s.credential()
	return c, s.Account, err
}

func (s *stored) credential() (credentials.Credential, error) {
	expiresAt, err := parseExpiry(string(s.ExpiresAt))
	if err != nil {
		return credentials.Credential{}, fmt.Errorf("expires_at: %w", err)
	}
	c := credentials.Credential{
		Access:    credentials.NewSecret(s.AccessToken),
		Refresh:   credentials.NewSecret(s.RefreshToken),
		ExpiresAt: expiresAt,
	}
	if s.Scope != "" {
		c.Scopes = strings.Fields(s.Scope)
	}
	return c, checkTokens(c)
}

func checkTokens(c credentials.Credential) error {
	if err := checkToken(c.Access.Reveal()); err != nil {
		return fmt.Errorf("access_token: %w", err)
	}
	if c.Refresh.IsZero() {
		return nil
	}
	if err := checkToken(c.Refresh.Reveal()); err != nil {
		return fmt.Errorf("refresh_token: %w", err)
	}
	return nil
}

// wordless tells where JSON is wrong. The messages of encoding/json repeat parts
// of the text.
func wordless(err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("bad JSON at offset %d", syntax.Offset)
	case errors.As(err, &kind):
		return fmt.Errorf("%s: expected a %s", kind.Field, kind.Type)
	}
	return errors.New("bad JSON")
}

// checkToken finds what would make a token useless, and is usually the mistake
// of whoever copied it.
func checkToken(token string) error {
	switch {
	case token == "":
		return errors.New("it is missing or empty")
	case !utf8.ValidString(token) || strings.ContainsFunc(token, unicode.IsControl):
		return errors.New("it contains a line end, a control character or bad UTF-8")
	case token != strings.TrimSpace(token):
		return errors.New("it begins or ends with white space")
	}
	return nil
}

// maxUnix is the end of the year 9999.
const maxUnix = 253402300799

// parseExpiry reads JSON: an RFC 3339 string, Unix seconds, or nothing. Seconds
// may be in quotes, as tools write them that know no numbers.
func parseExpiry(text string) (time.Time, error) {
	if text == "" || text == "null" {
		return time.Time{}, nil
	}
	s := text
	if strings.HasPrefix(text, `"`) {
		_ = json.Unmarshal([]byte(text), &s) // it is a part of valid JSON
	}
	if t, err := time.Parse(time.RFC3339, s); err == nil {
		return t.UTC(), nil
	}
	if n, err := strconv.ParseInt(s, 10, 64); err == nil && n > 0 && n <= maxUnix {
		return time.Unix(n, 0).UTC(), nil
	}
	return time.Time{}, errors.New("expected a time such as 2026-12-31T23:59:59Z, or Unix time in seconds")
}

// fields returns what is kept of c, by name: the JSON form as [parse] reads it.
// It refuses tokens that parse would refuse; its errors repeat nothing of them.
func fields(c credentials.Credential) (map[string]any, error) {
	if err := checkTokens(c); err != nil {
		return nil, fmt.Errorf("%w: %w", credentials.ErrMalformed, err)
	}
	all := map[string]any{"access_token": c.Access.Reveal()}
	if !c.Refresh.IsZero() {
		all["refresh_token"] = c.Refresh.Reveal()
	}
	if !c.ExpiresAt.IsZero() {
		all["expires_at"] = c.ExpiresAt.UTC().Format(time.RFC3339)
	}
	if len(c.Scopes) > 0 {
		all["scope"] = strings.Join(c.Scopes, " ")
	}
	return all, nil
}
