package crypto

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/svcflow/svc/credentials/network"
	"github.com/svcflow/svc/engine/node"
)

// keySets caches published key sets (JWKS), by address.
type keySets struct {
	client *http.Client
	known  *lru.Cache[string, keySet]
}

// keySet is a key set and the time of its download.
type keySet struct {
	keys jose.JSONWebKeySet
	at   time.Time
}

// How many sets are cached, and for how long; how soon a set without the key of a token is
// downloaded again; and how large one may be.
const (
	maxSets    = 100
	keysFor    = 5 * time.Minute
	askAgain   = 10 * time.Second
	maxKeySet  = 1 << 20
	keySetWait = 10 * time.Second
)

func newKeySets(client *http.Client) *keySets {
	if client != nil {
		direct := *client // what a redirect leads to is not what was asked for
		direct.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		client = &direct
	}
	known, _ := lru.New[string, keySet](maxSets) // fails for a size below 1 only
	return &keySets{client, known}
}

// find returns the key that the set at an address calls id; its only one, if that is "".
func (k *keySets) find(ctx context.Context, address, id string) (any, error) {
	set, found := k.known.Get(address)
	age := time.Since(set.at)
	if !found || age > keysFor || age > askAgain && pick(set.keys, id) == nil {
		keys, err := k.fetch(ctx, address)
		if err != nil {
			return nil, err
		}
		set = keySet{keys, time.Now()}
		k.known.Add(address, set)
	}
	key := pick(set.keys, id)
	if key == nil {
		return nil, notValid("its key is none of those at jwksUrl")
	}
	return key, nil
}

// pick returns the public key with an id; nil if it is missing or not for signatures.
func pick(set jose.JSONWebKeySet, id string) any {
	keys := set.Keys
	if id != "" {
		keys = set.Key(id)
	}
	keys = slices.DeleteFunc(slices.Clone(keys), func(k jose.JSONWebKey) bool { return k.Use == "enc" })
	if len(keys) != 1 {
		return nil
	}
	key := keys[0].Public()
	return key.Key // of a secret nil: nobody tells that to the public
}

func (k *keySets) fetch(ctx context.Context, address string) (set jose.JSONWebKeySet, err error) {
	if err := network.CheckAddress(address); err != nil {
		return set, refused("jwksUrl %w; keys that come another way may be anybody's", err)
	}
	if k.client == nil {
		return set, node.Errorf(node.CodeForbidden, "workflows may not make HTTP requests here")
	}
	ctx, cancel := context.WithTimeout(ctx, keySetWait)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return set, refused("jwksUrl is no address")
	}
	resp, err := k.client.Do(req)
	if err != nil {
		if known, ok := errors.AsType[*node.Error](err); ok {
			return set, known
		}
		return set, node.Errorf(node.CodeUnavailable, "the keys at %s cannot be read: the server does not answer", req.URL.Host)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxKeySet))
	var ok bool
	if set, ok = keysIn(body); err != nil || resp.StatusCode != http.StatusOK || !ok {
		return set, node.Errorf(node.CodeUnavailable, "the keys at %s cannot be read: the answer is %s and no set of keys", req.URL.Host, resp.Status)
	}
	return set, nil
}

// bearer returns the token in what a header Authorization has.
func bearer(text string) string {
	text = strings.TrimSpace(text)
	if scheme, token, ok := strings.Cut(text, " "); ok && strings.EqualFold(scheme, "bearer") {
		return strings.TrimSpace(token)
	}
	return text
}

// keysIn reads a key set. Keys that are not understood are passed over (RFC 7517 section 5).
func keysIn(body []byte) (set jose.JSONWebKeySet, ok bool) {
	var all struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if json.Unmarshal(body, &all) != nil || all.Keys == nil {
		return set, false
	}
	for _, raw := range all.Keys {
		var key jose.JSONWebKey
		if key.UnmarshalJSON(raw) == nil {
			set.Keys = append(set.Keys, key)
		}
	}
	return set, true
}
