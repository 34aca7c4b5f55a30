package mediaai

import (
	"crypto/sha256"
	"fmt"

	lru "github.com/hashicorp/golang-lru/v2"
)

// What was said is kept in memory, so much of it.
const (
	mostSpoken = 64
	keptSpoken = 1 << 20 // bytes of one
)

type sound struct {
	sound          []byte
	format, engine string
}

// spoken is what was said last, by what was asked for.
type spoken struct {
	cache *lru.Cache[[sha256.Size]byte, sound]
}

func newSpoken() *spoken {
	cache, _ := lru.New[[sha256.Size]byte, sound](mostSpoken) // fails for sizes below 1
	return &spoken{cache}
}

func (s *spoken) get(key [sha256.Size]byte) (sound, bool) { return s.cache.Get(key) }

func (s *spoken) put(key [sha256.Size]byte, said sound) {
	if len(said.sound) <= keptSpoken {
		s.cache.Add(key, said)
	}
}

// key is the same for what sounds the same.
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
