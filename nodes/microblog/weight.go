package microblog

import (
	"unicode/utf8"

	"github.com/rivo/uniseg"
	"golang.org/x/text/unicode/norm"
)

// The weights of version 3 of the configuration of twitter-text, the library of the
// network's editor. They are divided by 100: the library counts in hundredths.
const (
	maxWeight     = 280
	urlWeight     = 23 // URLs are replaced by short ones of this length
	defaultWeight = 2
)

// light reports whether r has the weight 1: characters of the scripts up to Georgian, and
// common spaces, dashes and quotation marks.
func light(r rune) bool {
	return r <= 0x10FF || 0x2000 <= r && r <= 0x200D || 0x2010 <= r && r <= 0x201F || 0x2032 <= r && r <= 0x2037
}

// weigh returns the weight of a text in the normalization form NFC.
func weigh(text string) int {
	text = norm.NFC.String(text)
	weight, from := 0, 0
	for _, u := range findURLs(text) {
		weight += weighPlain(text[from:u.from]) + urlWeight
		from = u.to
	}
	return weight + weighPlain(text[from:])
}

// weighPlain returns the weight of a text without URLs.
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
// characters: one with a skin tone, joined emoji, a flag or a keycap. For an emoji of one
// character it returns false: the default weight is right for it.
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
	case first >= 0x2030 && first <= 0x32FF: // symbols of older Unicode versions
		return second == emojiStyle || second > 0x1F000 || second == 0x200D
	case first < utf8.RuneSelf:
		return last == keycap
	}
	return second == emojiStyle && (first == '©' || first == '®')
}
