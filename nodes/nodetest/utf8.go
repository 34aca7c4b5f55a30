package nodetest

import (
	"math/rand/v2"
	"strings"

	"github.com/svcflow/svc/engine/node"
)

// wideTexts returns texts with characters of two, three and four bytes, so that nearly every
// cut at a number of bytes lands inside one.
func wideTexts() []string {
	return []string{"é", "éüñ", "日本語", "日本語 テキスト", "👩‍👩‍👧🇩🇪", "aé日👋", "Crème, brûlée, à la carte", "ääääääääääääääääääää"}
}

// checkUTF8 calls a pure node with texts of wide characters and small numbers, and
// fails the test if an output is then not valid UTF-8. An engine makes an error of
// such an output, and [Quick] ignores errors. Other nodes are not called, since
// calling them has effects.
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
