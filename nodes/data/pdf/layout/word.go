// Package layout makes lines, blocks and their reading order of the characters of a page,
// whose positions are all that a PDF file has. The result is that of pdftotext without
// options: columns are read one after the other, and words that are hyphenated at the end
// of a line are joined.
package layout

import (
	"math"
	"slices"
	"unicode"
)

// Char is what a font draws at a position. Coordinates are in points from the upper left
// corner of the page, with y downwards.
type Char struct {
	Text            string
	X, Y            float64 // where it begins, on the baseline
	DX, DY          float64 // how far it reaches
	Font            any     // identifies the font; comparable
	Size            float64
	Ascent, Descent float64 // in units of the size
	Turn            Turn
	Vertical        bool
	Position        int // in the content of the page, in bytes
	Bytes           int
}

// Turn is the direction in which text runs, in quarters clockwise.
type Turn int

// The spaces that tell words, lines and blocks apart, in units of the font size. They are
// those of pdftotext.
const (
	wordGap       = 0.1  // ends a word while it is drawn
	wordOverlap   = 0.1  // so far back begins another word
	samePrimary   = 0.1  // text that is drawn twice, as a bold face or a shadow
	sameSecondary = 0.2  //
	letterGap     = 0.03 // between words of a line
	wideGapFactor = 1.3  // of the least gap, in spaced letters
	wideGap       = 0.4  // but at most this
	lineGap       = 1.5  // between lines of a block
	baselineShift = 0.5  // between words of a line: for subscripts
	lineOverlap   = -0.5 // a word so far back is on another line
	lineWordGap   = 1.5  // between words of a line
	columnNear    = 0.7  // pulls a word into a block
	columnFar     = 1.0  // between columns
	blockGap      = 2.5  // between blocks of a flow
	sizeAbove     = 0.05 // how much font sizes differ in lines of a block
	sizeOverlap   = 0.6  //
	sizeBeside    = 0.2  //
	sizeInWord    = 0.05 //
	maxAscent     = 1.05
	maxDescent    = -0.4
	minBucket     = 4.0 // height of a bucket of baselines, in points
	mostBuckets   = 5000
	baselineExact = 0.5 // points that letters of a word may be off
)

// word is a run of characters. u runs in reading direction, v from line to line.
type word struct {
	text                   []rune
	edges                  []float64 // where each character begins
	uMin, uMax, vMin, vMax float64
	base                   float64
	size                   float64
	font, lastFont         any // of the first and the last character
	turn                   Turn
	vertical               bool
	first, last            int // positions in the content
	spaceAfter             bool
	next                   *word // in its bucket
}

// turned converts a point of the page to coordinates in which text of the turn runs to the
// right.
func turned(t Turn, x, y float64) (u, v float64) {
	switch t {
	case 1:
		return y, -x
	case 2:
		return -x, -y
	case 3:
		return -y, x
	}
	return x, y
}

// Page collects the characters of a page. It is not safe for concurrent use.
type Page struct {
	Bytes int // of the text so far

	width, height float64
	words         [4][]*word
	current       *word
	overlapped    bool
	bucket        float64
}

// New returns an empty page with a size in points.
func New(width, height float64) *Page {
	return &Page{width: width, height: height, bucket: max(minBucket, max(width, height)/mostBuckets)}
}

// Break ends the current word.
func (p *Page) Break() {
	if w := p.current; w != nil && len(w.text) > 0 {
		p.words[w.turn] = append(p.words[w.turn], w)
	}
	p.current = nil
}

// Add adds a character. One that is outside the page is ignored.
func (p *Page) Add(c *Char) {
	outside := c.X+c.DX < 0 || c.X > p.width || c.Y+c.DY < 0 || c.Y > p.height
	if outside || math.IsNaN(c.X+c.Y+c.DX+c.DY) {
		return
	}
	text := []rune(c.Text)
	if len(text) == 0 || len(text) == 1 && unicode.IsSpace(text[0]) {
		p.Break()
		return
	}
	p.Bytes += len(c.Text)
	if len(text) == 1 && p.current != nil && p.current.combine(text[0], c) {
		return
	}
	if p.breaks(c) {
		p.Break()
	}
	if p.current == nil {
		p.begin(c)
	}
	x, y, dx, dy := c.X, c.Y, c.DX, c.DY
	if u, _ := turned(c.Turn, dx, dy); u < 0 { // drawn in reverse order: one by one
		p.Break()
		p.begin(c)
		x, y, dx, dy = x+dx, y+dy, -dx, -dy
	}
	n := float64(len(text))
	for i, r := range text {
		p.current.add(r, c, x+float64(i)*dx/n, y+float64(i)*dy/n, dx/n, dy/n)
	}
	p.current.last = c.Position + c.Bytes
}

// breaks reports whether a character begins a new word, since it is not where the previous
// one ends.
func (p *Page) breaks(c *Char) bool {
	w := p.current
	if w == nil {
		p.overlapped = false
		return false
	}
	if c.Turn != w.turn {
		return true
	}
	u, v := turned(w.turn, c.X, c.Y)
	gap, back := u-w.uMax, u-w.edges[len(w.edges)-1]
	overlaps := math.Abs(back) < samePrimary*w.size && math.Abs(v-w.base) < sameSecondary*w.size
	broken := overlaps || p.overlapped || gap < -wordOverlap*w.size || gap > wordGap*w.size ||
		math.Abs(v-w.base) > baselineExact || c.Size != w.size || c.Vertical != w.vertical
	p.overlapped = overlaps
	return broken
}

func (p *Page) begin(c *Char) {
	u, v := turned(c.Turn, c.X, c.Y)
	ascent, descent := min(c.Ascent, maxAscent)*c.Size, max(c.Descent, maxDescent)*c.Size
	w := &word{uMin: u, uMax: u, vMin: v - ascent, vMax: v - descent, base: v, size: c.Size, font: c.Font, turn: c.Turn, vertical: c.Vertical, first: c.Position}
	if c.Vertical {
		w.vMin, w.vMax = v-c.Size/2, v+c.Size/2
	}
	if w.vMin == w.vMax {
		w.vMax = w.vMin + 1
	}
	p.current = w
}

func (w *word) add(r rune, c *Char, x, y, dx, dy float64) {
	u, _ := turned(c.Turn, x, y)
	du, _ := turned(c.Turn, dx, dy)
	if len(w.text) == 0 {
		w.uMin = u
	}
	w.text, w.edges = append(w.text, r), append(w.edges, u)
	w.uMax, w.lastFont = u+du, c.Font
}

// gapTo returns the space between a word and the next one.
func (w *word) gapTo(next *word) float64 { return next.uMin - w.uMax }

// merge appends a word.
func (w *word) merge(other *word) {
	w.text, w.edges = append(w.text, other.text...), append(w.edges, other.edges...)
	w.uMin, w.uMax = min(w.uMin, other.uMin), max(w.uMax, other.uMax)
	w.vMin, w.vMax = min(w.vMin, other.vMin), max(w.vMax, other.vMax)
	w.last, w.lastFont = other.last, other.lastFont
}

// pool holds words by their baselines: buckets of lists that are sorted from left to right.
type pool struct {
	height   float64
	first    int
	buckets  []*word
	min, max int // of those that may have words
}

// newPool returns a pool of words.
func newPool(words []*word, height float64) *pool {
	p := &pool{height: height}
	if len(words) == 0 {
		p.max = -1
		return p
	}
	low, high := words[0].base, words[0].base
	for _, w := range words {
		low, high = min(low, w.base), max(high, w.base)
	}
	p.first = p.floor(low)
	p.min, p.max = 0, p.floor(high)-p.first
	lists := make([][]*word, p.max+1)
	for _, w := range words {
		i := p.floor(w.base) - p.first
		lists[i] = append(lists[i], w)
	}
	p.buckets = make([]*word, len(lists))
	for i, list := range lists {
		slices.SortStableFunc(list, func(a, b *word) int { return order(a.uMin, b.uMin) })
		for _, w := range slices.Backward(list) {
			w.next = p.buckets[i]
			p.buckets[i] = w
		}
	}
	return p
}

func (p *pool) floor(base float64) int { return int(math.Floor(base / p.height)) }

// index returns the bucket of a baseline, within those that there are.
func (p *pool) index(base float64) int {
	at := math.Floor(base/p.height) - float64(p.first)
	return int(min(max(at, 0), float64(p.max)))
}

// firstWord returns the bucket of the word with which the next block or line begins: the
// left-most one of the first four buckets with words, which avoids a superscript.
func (p *pool) firstWord() (int, bool) {
	for p.min <= p.max && p.buckets[p.min] == nil {
		p.min++
	}
	if p.min > p.max {
		return 0, false
	}
	best := p.min
	for i := p.min + 1; i < p.min+4 && i <= p.max; i++ {
		if w := p.buckets[i]; w != nil && w.uMin < p.buckets[best].uMin {
			best = i
		}
	}
	return best, true
}

// take removes the first word of a bucket.
func (p *pool) take(i int) *word {
	w := p.buckets[i]
	p.buckets[i], w.next = w.next, nil
	return w
}

func order(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// distinct returns the words without those that are drawn twice at nearly the same place.
func distinct(words []*word, height float64) []*word {
	p := newPool(words, height)
	double := map[*word]bool{}
	for i := range p.buckets {
		for w := p.buckets[i]; w != nil; w = w.next {
			if double[w] {
				continue
			}
			near, far := samePrimary*w.size, sameSecondary*w.size
			last := p.index(w.base + far)
			for k := p.index(w.base - far); k <= last; k++ {
				other := p.buckets[k]
				if k == i {
					other = w.next
				}
				for ; other != nil && other.uMin < w.uMin+near; other = other.next {
					if other != w && !double[other] && other.uMin > w.uMin-near && math.Abs(other.uMax-w.uMax) < near &&
						math.Abs(other.vMin-w.vMin) < far && math.Abs(other.vMax-w.vMax) < far && slices.Equal(other.text, w.text) {
						double[other] = true
					}
				}
			}
		}
	}
	if len(double) == 0 {
		return words
	}
	return slices.DeleteFunc(slices.Clone(words), func(w *word) bool { return double[w] })
}
