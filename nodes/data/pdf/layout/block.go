package layout

import (
	"math"
	"slices"
	"strings"
)

// block is a part of a page whose lines belong together, such as a paragraph.
type block struct {
	words                  []*word
	lines                  []*line
	turn, main             Turn // main is that of the page
	uMin, uMax, vMin, vMax float64
	// In the coordinates of the page's main direction: the block, and how far it may reach
	// before it meets others.
	xMin, xMax, yMin, yMax     float64
	exMin, exMax, eyMin, eyMax float64
	freeMin, freeMax           float64
	table                      int // -1 for none
}

type line struct {
	words []*word
	base  float64
	text  string
}

func (b *block) add(w *word) {
	if len(b.words) == 0 {
		b.uMin, b.uMax, b.vMin, b.vMax = w.uMin, w.uMax, w.vMin, w.vMax
	}
	b.words = append(b.words, w)
	b.uMin, b.uMax = min(b.uMin, w.uMin), max(b.uMax, w.uMax)
	b.vMin, b.vMax = min(b.vMin, w.vMin), max(b.vMax, w.vMax)
}

// builder makes a block of the words of a pool, from one word on.
type builder struct {
	pool     *pool
	block    *block
	size     float64
	min, max float64 // the first and the last baseline
}

func buildBlocks(words []*word, turn Turn, height float64) (blocks []*block) {
	p := newPool(words, height)
	for {
		i, more := p.firstWord()
		if !more {
			return blocks
		}
		w := p.take(i)
		b := &builder{pool: p, block: &block{turn: turn, table: -1}, size: w.size, min: w.base, max: w.base}
		b.block.add(w)
		for b.grow() {
		}
		b.block.makeLines(height)
		blocks = append(blocks, b.block)
	}
}

// grow adds words to the block: lines above and below, words that overlap it, and otherwise
// a few that are beside it.
func (b *builder) grow() bool {
	above, below := b.addAbove(), b.addBelow()
	within := b.addWithin()
	if above || below || within {
		return true
	}
	shift, far := baselineShift*b.size, columnFar*b.size
	left := func(w *word) bool {
		return w.uMax <= b.block.uMin && w.uMax > b.block.uMin-far && math.Abs(w.size-b.size) < sizeBeside*b.size
	}
	right := func(w *word) bool {
		return w.uMin >= b.block.uMax && w.uMin < b.block.uMax+far && math.Abs(w.size-b.size) < sizeBeside*b.size
	}
	found := b.addFew(shift, left)
	return b.addFew(shift, right) || found
}

// scan passes the words with baselines in a range, and takes those that are wanted.
func (b *builder) scan(low, high float64, down bool, wanted func(*word) bool) (found bool) {
	from, to := b.pool.index(low), b.pool.index(high)
	for n := 0; n <= to-from; n++ {
		i := from + n
		if !down {
			i = to - n
		}
		for at := &b.pool.buckets[i]; *at != nil; {
			w := *at
			if w.base < low || w.base > high || !wanted(w) {
				at = &w.next
				continue
			}
			*at, w.next = w.next, nil
			b.block.add(w)
			found = true
		}
	}
	return found
}

func (b *builder) overlaps(w *word) bool {
	return w.uMin < b.block.uMax && w.uMax > b.block.uMin && math.Abs(w.size-b.size) < sizeAbove*b.size
}

func (b *builder) addAbove() bool {
	top := b.min
	return b.scan(b.min-lineGap*b.size, b.min, false, func(w *word) bool {
		if w.base >= b.min || !b.overlaps(w) {
			return false
		}
		top = w.base
		return true
	}) && b.reach(top)
}

func (b *builder) addBelow() bool {
	bottom := b.max
	return b.scan(b.max, b.max+lineGap*b.size, true, func(w *word) bool {
		if w.base <= b.max || !b.overlaps(w) {
			return false
		}
		bottom = w.base
		return true
	}) && b.reach(bottom)
}

// reach extends the range of baselines.
func (b *builder) reach(base float64) bool {
	b.min, b.max = min(b.min, base), max(b.max, base)
	return true
}

func (b *builder) addWithin() bool {
	shift, near := baselineShift*b.size, columnNear*b.size
	return b.scan(b.min-shift, b.max+shift, true, func(w *word) bool {
		return w.uMin < b.block.uMax+near && w.uMax > b.block.uMin-near && math.Abs(w.size-b.size) < sizeOverlap*b.size
	})
}

// fewBeside is how many lines may have a word beside a block that is no column.
const fewBeside = 3

// addFew adds words beside the block if there are few of them.
func (b *builder) addFew(shift float64, beside func(*word) bool) (found bool) {
	from, to := b.pool.index(b.min-shift), b.pool.index(b.max+shift)
	low, high := b.min-shift, b.max+shift
	first := func(i int) **word {
		for at := &b.pool.buckets[i]; *at != nil; at = &(*at).next {
			if w := *at; w.base >= low && w.base <= high && beside(w) {
				return at
			}
		}
		return nil
	}
	n := 0
	for i := from; i <= to; i++ {
		if first(i) != nil {
			n++
		}
	}
	if n == 0 || n > fewBeside {
		return false
	}
	for i := from; i <= to; i++ {
		if at := first(i); at != nil {
			w := *at
			*at, w.next = w.next, nil
			b.block.add(w)
			b.reach(w.base)
			found = true
		}
	}
	return found
}

// makeLines sorts the words of the block into lines.
func (b *block) makeLines(height float64) {
	p := newPool(distinct(b.words, height), height)
	for {
		i, more := p.firstWord()
		if !more {
			break
		}
		w := p.take(i)
		l := &line{words: []*word{w}, base: w.base}
		for w != nil {
			if w = p.follower(w, l); w != nil {
				l.words = append(l.words, w)
			}
		}
		l.join()
		at, _ := slices.BinarySearchFunc(b.lines, l, func(a, b *line) int {
			if c := order(a.base, b.base); c != 0 {
				return c
			}
			return order(a.words[0].uMin, b.words[0].uMin)
		})
		b.lines = slices.Insert(b.lines, at, l)
	}
	b.words = nil
}

// follower takes the next word of a line, or returns nil.
func (p *pool) follower(after *word, l *line) *word {
	size := l.words[0].size
	low, high := l.base-baselineShift*size, l.base+baselineShift*size
	var best **word
	for i := p.index(low); i <= p.index(high); i++ {
		for at := &p.buckets[i]; *at != nil; at = &(*at).next {
			w := *at
			if w.base < low || w.base > high {
				continue
			}
			gap := after.gapTo(w)
			if gap < lineOverlap*size {
				return nil
			}
			if gap < lineWordGap*size && (best == nil || w.uMin < (*best).uMin) {
				best = at
			}
		}
	}
	if best == nil {
		return nil
	}
	w := *best
	*best, w.next = w.next, nil
	return w
}

// join joins the words of a line that have no space between, and makes its text.
func (l *line) join() {
	space := l.space()
	words := l.words[:1]
	for _, w := range l.words[1:] {
		before := words[len(words)-1]
		switch {
		case before.gapTo(w) >= space:
			before.spaceAfter = true
		case before.lastFont == w.font && math.Abs(before.size-w.size) < sizeInWord*l.words[0].size && before.last == w.first:
			before.merge(w)
			continue
		}
		words = append(words, w)
	}
	l.words = words
	var b strings.Builder
	for _, w := range l.words {
		b.WriteString(string(w.text))
		if w.spaceAfter {
			b.WriteByte(' ')
		}
	}
	l.text = strings.TrimSuffix(b.String(), " ")
}

// space returns the least gap between words. In text with spaced letters, where each word
// is a letter, it is more than the gap of the letters.
func (l *line) space() float64 {
	size := l.words[0].size
	least := 0.0
	if len(l.words) > 1 && len(l.words[0].text) == 1 && len(l.words[1].text) == 1 {
		least = l.words[0].gapTo(l.words[1])
		for i := 1; i+1 < len(l.words) && least > 0; i++ {
			if len(l.words[i+1].text) > 1 {
				least = 0
			}
			least = min(least, l.words[i].gapTo(l.words[i+1]))
		}
	}
	if least <= 0 {
		return letterGap * size
	}
	return min(wideGapFactor*least, wideGap*size)
}

// hyphenated reports whether the line ends within a word.
func (l *line) hyphenated() bool { return strings.HasSuffix(l.text, "-") }
