package microblog

import (
	"unicode/utf8"

	"github.com/rivo/uniseg"
	"golang.org/x/text/unicode/norm"
)

// What the network's editor counts: version 3 of the configuration of its
// twitter-text library, in whole characters instead of hundredths.
const (
	maxWeight     = 280
	urlWeight     = 23 // an address is replaced by a short one of this length
	defaultWeight = 2
)

// light reports whether r weighs 1: the scripts up to Georgian, and the usual
// spaces, dashes and quotation marks.
func light(r rune) bool {
	return r <= 0x10FF || 0x2000 <= r && r <= 0x200D || 0x2010 <= r && r <= 0x201F || 0x2032 <= r && r <= 0x2037
}

// weigh returns the weight of a text. It is counted composed (NFC), whatever form
// it comes in.
func weigh(text string) int {
	text = norm.NFC.String(text)
	weight, from := 0, 0
	for _, u := range findURLs(text) {
		weight += weighPlain(text[from:u.from]) + urlWeight
		from = u.to
	}
	return weight + weighPlain(text[from:])
}

// weighPlain weighs a text without addresses.
func weighPlain(text string) int {
	weight := 0
	for state := -1; text != ""; {
		var cluster string
		cluster, text, _, state = uniseg.FirstGraphemeClusterInString(text, state)
		if isEmojiSequence(cluster) {
			weight += defaultWeight
			continue
		}
		for _, r := range cluster {
			if light(r) {
				weight++
			} else {
				weight += defaultWeight
			}
		}
	}
	return weight
}

// isEmojiSequence reports whether a grapheme cluster is one emoji made of several
// characters: with a skin tone, joined to others, a flag, or a keycap. An emoji of
// one character needs no rule of its own.
func isEmojiSequence(cluster string) bool {
	first, size := utf8.DecodeRuneInString(cluster)
	if size == len(cluster) {
		return false
	}
	if first >= 0x1F000 && first <= 0x1FAFF {
		return true
	}
	const keycap, emojiStyle = 0x20E3, 0xFE0F
	last, _ := utf8.DecodeLastRuneInString(cluster)
	second, _ := utf8.DecodeRuneInString(cluster[size:])
	switch {
	case first >= 0x2030 && first <= 0x32FF: // the older symbols
		return second == emojiStyle || second > 0x1F000 || second == 0x200D
	case first < utf8.RuneSelf:
		return last == keycap
	}
	return second == emojiStyle && (first == '©' || first == '®')
}
