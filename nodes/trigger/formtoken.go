package trigger

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"net/http"
	"time"
)

// tokenField is the name of the field with the token; no output can have that name.
const tokenField = "$token"

// A token consists of a time, random bytes, and a MAC over both.
const (
	tokenTime  = 8
	tokenOnce  = 12
	tokenSeal  = 16
	tokenBytes = tokenTime + tokenOnce + tokenSeal
	// tokenLife is how long a page can be filled in, and how long sent tokens are remembered.
	tokenLife = 24 * time.Hour
)

// seal makes and checks tokens for the pages of a form. A token proves that an answer comes
// from a page of this form, and shows whether the same page was sent twice. The key derives
// from the path and the secret, so it stays valid after a restart and in other processes.
type seal struct{ key [sha256.Size]byte }

func newSeal(path, secret string) seal {
	return seal{sha256.Sum256([]byte("form\x00" + path + "\x00" + secret))}
}

func (s seal) over(text []byte) []byte { return sum(s.key[:], string(text))[:tokenSeal] }

// issue makes a new token.
func (s seal) issue(now time.Time) string {
	token := make([]byte, tokenTime+tokenOnce, tokenBytes)
	binary.BigEndian.PutUint64(token, uint64(now.Unix()))
	_, _ = rand.Read(token[tokenTime:]) // never fails
	return base64.RawURLEncoding.EncodeToString(append(token, s.over(token)...))
}

// open verifies a token and returns the part that is unique to it.
func (s seal) open(text string, now time.Time) (once string, err error) {
	token, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(token) != tokenBytes || !hmac.Equal(token[tokenTime+tokenOnce:], s.over(token[:tokenTime+tokenOnce])) {
		return "", malformed(http.StatusForbidden, "form_expired", "what was sent does not come from this page; look it over, and send it again")
	}
	made := time.Unix(int64(binary.BigEndian.Uint64(token)), 0)
	if age := now.Sub(made); age > tokenLife || age < -replayWindow {
		return "", malformed(http.StatusForbidden, "form_expired", "the page was open for more than a day; look it over, and send it again")
	}
	return base64.RawURLEncoding.EncodeToString(token[tokenTime : tokenTime+tokenOnce]), nil
}
