package media

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Word is a spoken word and its time.
type Word struct {
	Text       string   `port:"text" doc:"The word."`
	StartMs    float64  `port:"start_ms" doc:"When it begins."`
	EndMs      float64  `port:"end_ms" doc:"When it ends."`
	Confidence *float64 `port:"confidence" doc:"How sure it is, from 0 to 1; null where nobody tells."`
}

// Layout limits the size of a caption.
type Layout struct {
	Chars, Lines int     // characters of a line, and number of lines
	Longest      float64 // in milliseconds
}

// pause is the time without a word after which a caption ends, in milliseconds.
const pause = 1000

// WordsOf returns the words of captions. It estimates their times by their number of letters.
func WordsOf(captions []Caption) [][]Word {
	var all [][]Word
	for _, c := range captions {
		texts := strings.Fields(c.Text)
		letters := 0
		for _, text := range texts {
			letters += utf8.RuneCountInString(text)
		}
		words, done := make([]Word, len(texts)), 0
		for i, text := range texts {
			at := func() float64 { return c.StartMs + (c.EndMs-c.StartMs)*float64(done)/float64(letters) }
			words[i] = Word{Text: text, StartMs: at()}
			done += utf8.RuneCountInString(text)
			words[i].EndMs = at()
		}
		all = append(all, words)
	}
	return all
}

// Arrange makes captions of words. A new caption begins after a sentence, after a pause, and
// when the layout allows no more words.
func (l Layout) Arrange(words []Word) (captions []Caption) {
	begin := 0
	for i := 1; i <= len(words); i++ {
		if i < len(words) && !l.ends(words[begin:i], words[i]) {
			continue
		}
		if i > begin {
			part := words[begin:i]
			captions = append(captions, Caption{strings.Join(l.wrap(part), "\n"), part[0].StartMs, max(part[0].StartMs, part[len(part)-1].EndMs)})
		}
		begin = i
	}
	return captions
}

// ends reports whether a caption has no room for another word.
func (l Layout) ends(caption []Word, next Word) bool {
	last := caption[len(caption)-1]
	return next.StartMs-last.EndMs > pause || next.EndMs-caption[0].StartMs > l.Longest ||
		strings.ContainsAny(last.Text[max(0, len(last.Text)-1):], ".!?") || len(l.wrap(append(slices.Clone(caption), next))) > l.Lines
}

// wrap returns the lines that words fill. A word that is longer than a line is broken.
func (l Layout) wrap(words []Word) (lines []string) {
	room := 0
	for _, w := range words {
		text, n := w.Text, utf8.RuneCountInString(w.Text)
		if len(lines) > 0 && n+1 <= room {
			lines[len(lines)-1] += " " + text
			room -= n + 1
			continue
		}
		for n > l.Chars {
			head := string([]rune(text)[:l.Chars])
			lines, text, n = append(lines, head), text[len(head):], n-l.Chars
		}
		lines, room = append(lines, text), l.Chars-n
	}
	return lines
}
