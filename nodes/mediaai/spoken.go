package mediaai

import (
	"crypto/sha256"
	"fmt"

	lru "github.com/hashicorp/golang-lru/v2"
)

// Sounds are cached in memory, within these limits.
const (
	mostSpoken = 64
	keptSpoken = 1 << 20 // bytes of one sound; larger ones are not cached
)

type sound struct {
	sound          []byte
	format, engine string
}

// spoken caches the sounds that were made last, by [utterance.key].
type spoken struct {
	cache *lru.Cache[[sha256.Size]byte, sound]
}

func newSpoken() *spoken {
	cache, _ := lru.New[[sha256.Size]byte, sound](mostSpoken) // New fails only for sizes below 1
	return &spoken{cache}
}

func (s *spoken) get(key [sha256.Size]byte) (sound, bool) { return s.cache.Get(key) }

func (s *spoken) put(key [sha256.Size]byte, said sound) {
	if len(said.sound) <= keptSpoken {
		s.cache.Add(key, said)
	}
}

// key returns the cache key: it is the same for utterances that sound the same.
func (u *utterance) key(who string) [sha256.Size]byte {
	h := sha256.New()
	_, _ = fmt.Fprintf(h, "%q %q %q %q %v %x", who, u.text, u.language, u.voice, u.speed, sha256.Sum256(u.sample))
	for _, m := range u.more {
		n := 0.0
		if m.n != nil {
			n = *m.n
		}
		_, _ = fmt.Fprintf(h, " %q %q %v", m.name, m.text, n)
	}
	return [sha256.Size]byte(h.Sum(nil))
}
