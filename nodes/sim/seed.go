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

// Seed is what a network has when it begins.
type Seed struct {
	Accounts []Account  `json:"accounts"`
	Posts    []SeedPost `json:"posts"`            // the oldest first
	Trends   []Trend    `json:"trends,omitempty"` // of the microblogging network
	Media    []string   `json:"media,omitempty"`  // IDs that posts there may name
}

// Account is somebody at a network.
type Account struct {
	ID        string `json:"id"`
	Username  string `json:"username"`
	First     string `json:"first"`
	Last      string `json:"last"`
	About     string `json:"about,omitempty"`
	Picture   string `json:"picture,omitempty"` // an address
	Followers int    `json:"followers,omitempty"`
	Verified  bool   `json:"verified,omitempty"`
	// Connections are the accounts that messages may be sent to, and Organizations
	// those in whose name it may post, at the professional network.
	Connections   []string `json:"connections,omitempty"`
	Organizations []string `json:"organizations,omitempty"`
	// Token is an access token that is good for ever, and Name what a workflow calls
	// the account, as in pronet:main. Both are empty for those whom nobody logs in.
	Token string `json:"token,omitempty"`
	Name  string `json:"name,omitempty"`
}

func (a *Account) fullName() string { return strings.TrimSpace(a.First + " " + a.Last) }

// SeedPost is a post from before the network began.
type SeedPost struct {
	Author     string `json:"author"` // ID of an account
	Text       string `json:"text"`
	MinutesAgo int    `json:"minutesAgo"`
	Likes      int    `json:"likes,omitempty"`
	Comments   int    `json:"comments,omitempty"`
	Shares     int    `json:"shares,omitempty"`
}

// Trend is something that is talked about. A Count of 0 is not told.
type Trend struct {
	Name  string `json:"name"`
	Count int    `json:"count,omitempty"`
}

// DefaultSeeds returns what the networks have unless told otherwise, by network.
func DefaultSeeds() (map[string]*Seed, error) { return ParseSeeds(seedText) }

// ParseSeeds reads a JSON object with a [Seed] under "pronet", "microblog" or
// both.
func ParseSeeds(text []byte) (map[string]*Seed, error) {
	seeds := map[string]*Seed{}
	return seeds, parse(text, &seeds)
}

// ParseFaults reads a JSON object with lists of [Fault]s under "pronet",
// "microblog" or both. That their routes exist is checked by those who take them.
func ParseFaults(text []byte) (map[string][]Fault, error) {
	faults := map[string][]Fault{}
	return faults, parse(text, &faults)
}

// parse reads an object by network, and takes nothing that it does not know.
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
