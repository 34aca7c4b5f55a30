package sim

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

//go:embed seed/seed.json
var seedText []byte

// Seed is the initial content of a network.
type Seed struct {
	Accounts []Account  `json:"accounts"`
	Posts    []SeedPost `json:"posts"`            // the oldest first
	Trends   []Trend    `json:"trends,omitempty"` // of the microblogging network
	Media    []string   `json:"media,omitempty"`  // IDs that posts of the microblogging network may refer to
}

// Account is a user of a network.
type Account struct {
	ID        string `json:"id"`
	Username  string `json:"username"`
	First     string `json:"first"`
	Last      string `json:"last"`
	About     string `json:"about,omitempty"`
	Picture   string `json:"picture,omitempty"` // a URL
	Followers int    `json:"followers,omitempty"`
	Verified  bool   `json:"verified,omitempty"`
	// Connections are the accounts that it may send messages to, and Organizations those
	// that it may post for. Both are for the professional network.
	Connections   []string `json:"connections,omitempty"`
	Organizations []string `json:"organizations,omitempty"`
	// Token is an access token that never expires, and Name is the name by which workflows
	// refer to the account, as in pronet:main. Both are empty for accounts without a login.
	Token string `json:"token,omitempty"`
	Name  string `json:"name,omitempty"`
}

func (a *Account) fullName() string { return strings.TrimSpace(a.First + " " + a.Last) }

// SeedPost is an existing post.
type SeedPost struct {
	Author     string `json:"author"` // ID of an account
	Text       string `json:"text"`
	MinutesAgo int    `json:"minutesAgo"`
	Likes      int    `json:"likes,omitempty"`
	Comments   int    `json:"comments,omitempty"`
	Shares     int    `json:"shares,omitempty"`
}

// Trend is a trending topic. A Count of 0 is left out of responses.
type Trend struct {
	Name  string `json:"name"`
	Count int    `json:"count,omitempty"`
}

// DefaultSeeds returns the default content of the networks, by network.
func DefaultSeeds() (map[string]*Seed, error) { return ParseSeeds(seedText) }

// ParseSeeds reads a JSON object with a [Seed] under "pronet", "microblog" or
// both.
func ParseSeeds(text []byte) (map[string]*Seed, error) {
	seeds := map[string]*Seed{}
	return seeds, parse(text, &seeds)
}

// ParseFaults reads a JSON object with lists of [Fault]s under "pronet", "microblog" or
// both. [NewPronet] and [NewMicroblog] check that their routes exist.
func ParseFaults(text []byte) (map[string][]Fault, error) {
	faults := map[string][]Fault{}
	return faults, parse(text, &faults)
}

// parse decodes an object by network. Unknown fields are errors.
func parse[T any](text []byte, into *map[string]T) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return err
	}
	if decoder.More() {
		return errors.New("there is more than one JSON value")
	}
	for name := range *into {
		if name != "pronet" && name != "microblog" {
			return fmt.Errorf("there is no network %q; there are pronet and microblog", name)
		}
	}
	return nil
}
