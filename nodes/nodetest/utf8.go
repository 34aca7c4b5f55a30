package nodetest

import (
	"math/rand/v2"
	"strings"

	"github.com/svcflow/svc/engine/node"
)

// wideTexts returns texts with characters of two, three and four bytes, so that nearly
// every cut at a byte offset is inside a character.
func wideTexts() []string {
	return []string{"é", "éüñ", "日本語", "日本語 テキスト", "👩‍👩‍👧🇩🇪", "aé日👋", "Crème, brûlée, à la carte", "ääääääääääääääääääää"}
}

// checkUTF8 calls a pure node with texts of multi-byte characters and small numbers. It
// fails the test if an output is not valid UTF-8; the engine would convert this to an
// error, which [Quick] ignores. Other nodes are not called, because they have effects.
func (h *Host) checkUTF8(s *node.Spec) {
	h.tb.Helper()
	if !s.Pure || s.Container || s.Role != node.RoleStep {
		return
	}
	g := &generator{Rand: rand.New(rand.NewPCG(3, 4)), wide: true}
	for range rounds {
		if _, err := h.quick(s, g.config(s, nil), g); err != nil && strings.HasPrefix(err.Error(), "output ") && strings.HasSuffix(err.Error(), "not valid UTF-8") {
			h.tb.Errorf("%s, %v: cut texts between characters, not between bytes", s.Type, err)
			return
		}
	}
}
