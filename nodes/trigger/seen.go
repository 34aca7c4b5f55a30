package trigger

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
)

// known is the state that a polling trigger remembers.
type known struct {
	Of       string   `json:"of"` // the feed or workflow; state of another one is ignored
	ETag     string   `json:"etag,omitempty"`
	Modified string   `json:"modified,omitempty"`
	Seen     []string `json:"seen"` // items that were found, the latest last
}

// recall parses the stored state. first is true if nothing is stored for this source.
func recall(memory []byte, of string) (k known, first bool) {
	if memory == nil || json.Unmarshal(memory, &k) != nil || k.Of != of {
		return known{Of: of}, true
	}
	return k, false
}

// text encodes the state.
func (k *known) text() []byte {
	text, _ := json.Marshal(k) // it consists of texts only
	return text
}

// mostGone is how many items are remembered after they have disappeared, since they may
// come back.
const mostGone = 5000

// meet remembers the items and reports which of them are new.
func (k *known) meet(names []string) (isNew []bool) {
	before := make(map[string]bool, len(k.Seen))
	for _, name := range k.Seen {
		before[name] = true
	}
	isNew = make([]bool, len(names))
	now := make(map[string]bool, len(names))
	var there []string
	for i, name := range names {
		if !now[name] {
			isNew[i], now[name] = !before[name], true
			there = append(there, name)
		}
	}
	gone := slices.DeleteFunc(k.Seen, func(name string) bool { return now[name] })
	k.Seen = append(gone[max(0, len(gone)-mostGone):], there...)
	return isNew
}

// nameFor returns a short hash of the texts that identify an item.
func nameFor(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}
