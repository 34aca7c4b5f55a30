package oauth

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// tolerant is a transport that puts the answers of token addresses into the form of RFC 6749,
// which golang.org/x/oauth2 requires and networks do not keep: JSON is called JSON, and a
// lifetime that is no whole number of seconds counts as unknown, instead of losing the token.
type tolerant struct{ base http.RoundTripper }

// RoundTrip implements [http.RoundTripper].
func (t tolerant) RoundTrip(request *http.Request) (*http.Response, error) {
	answer, err := t.base.RoundTrip(request)
	if err != nil {
		return answer, err
	}
	body, err := io.ReadAll(answer.Body)
	_ = answer.Body.Close() // it was read
	if err != nil {         // the library sees it where it reads
		answer.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body), failing{err}))
		return answer, nil
	}
	if fixed, ok := conventional(body); ok {
		body = fixed
		answer.Header.Set("Content-Type", "application/json")
	}
	answer.Body, answer.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return answer, nil
}

// failing is a reader that fails.
type failing struct{ err error }

// Read implements [io.Reader].
func (f failing) Read([]byte) (int, error) { return 0, f.err }

// conventional returns a JSON answer in the form of RFC 6749; false for anything else.
func conventional(body []byte) ([]byte, bool) {
	trimmed := bytes.TrimPrefix(bytes.TrimSpace(body), []byte("\ufeff"))
	if !bytes.HasPrefix(trimmed, []byte("{")) {
		return nil, false
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(trimmed, &members) != nil {
		return nil, false
	}
	if lifetime, given := members["expires_in"]; given {
		if seconds, ok := wholeSeconds(lifetime); ok {
			members["expires_in"] = strconv.AppendInt(nil, seconds, 10)
		} else {
			delete(members, "expires_in")
		}
	}
	if kind := string(members["token_type"]); strings.HasPrefix(strings.ToLower(kind), `"bearer`) {
		members["token_type"] = json.RawMessage(`"Bearer"`) // "BearerToken", "bearer_token"
	}
	fixed, err := json.Marshal(members)
	return fixed, err == nil
}

// wholeSeconds reads a lifetime such as 3600, 3600.0 or "3600".
func wholeSeconds(raw json.RawMessage) (int64, bool) {
	text := strings.Trim(string(raw), `" `)
	seconds, err := strconv.ParseFloat(text, 64)
	const longest = 100 * 365 * 24 * 60 * 60 // what is longer is no lifetime in seconds
	if err != nil || !(seconds > 0 && seconds < longest) {
		return 0, false
	}
	return max(1, int64(seconds)), true
}
