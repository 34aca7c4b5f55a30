package layout

import (
	"math"
	"strings"
)

// Text returns the text of the page in reading order. Lines end with a line feed, and an
// empty line ends a flow of blocks.
func (p *Page) Text() string {
	p.Break()
	var blocks []*block
	main, most := Turn(0), 0
	for turn := range Turn(4) {
		made := buildBlocks(distinct(p.words[turn], p.bucket), turn, p.bucket)
		count := 0
		for _, b := range made {
			for _, l := range b.lines {
				count += len(l.text)
			}
		}
		if count > most {
			main, most = turn, count
		}
		blocks = append(blocks, made...)
	}
	p.words = [4][]*word{}
	width, _ := turned(main, p.width, p.height)
	for _, b := range blocks {
		b.turnTo(main)
		b.freeMin, b.freeMax = min(0, width), max(0, width)
	}
	leftward := 0
	for _, b := range blocks {
		for _, l := range b.lines {
			leftward += l.leftward()
		}
	}
	for _, b := range blocks {
		for _, l := range b.lines {
			l.turnRight(leftward > 0)
		}
	}
	return written(sorted(blocks))
}

// turnTo sets the coordinates of a block in the main direction of the page.
func (b *block) turnTo(main Turn) {
	b.main = main
	back := (4 - b.turn) % 4
	x1, y1 := turned(back, b.uMin, b.vMin)
	x2, y2 := turned(back, b.uMax, b.vMax)
	x1, y1 = turned(main, x1, y1)
	x2, y2 = turned(main, x2, y2)
	b.xMin, b.xMax, b.yMin, b.yMax = min(x1, x2), max(x1, x2), min(y1, y2), max(y1, y2)
	b.exMin, b.exMax, b.eyMin, b.eyMax = b.xMin, b.xMax, b.yMin, b.yMax
}

// sorted returns the blocks in reading order.
func sorted(blocks []*block) []*block {
	for _, b := range blocks {
		for _, other := range blocks {
			if other != b {
				b.limit(other)
			}
		}
	}
	findTables(blocks)
	widenBlocks(blocks)
	s := &sorter{blocks: blocks, visited: make([]bool, len(blocks))}
	for i := range blocks {
		s.visit(i)
	}
	return s.sorted
}

// limit keeps the free space of a block from reaching into another one.
func (b *block) limit(other *block) {
	if other.yMin >= b.yMax || other.yMax <= b.yMin {
		return
	}
	if other.xMin < b.xMin {
		b.freeMin = max(b.freeMin, min(other.xMax, b.xMin))
	}
	if other.xMax > b.xMax {
		b.freeMax = min(b.freeMax, max(other.xMin, b.xMax))
	}
}

func overlapX(a, b *block) bool { return a.xMin <= b.xMax && a.xMax >= b.xMin }
func overlapY(a, b *block) bool { return a.yMin <= b.yMax && a.yMax >= b.yMin }

// findTables finds blocks that form the cells of tables: a block with one to the right, one
// below, and one below that to the right, which are aligned.
func findTables(blocks []*block) {
	tables := 0
	for _, b := range blocks {
		right, below, across := cells(blocks, b)
		if right == nil || below == nil || across == nil {
			continue
		}
		if overlapX(below, across) || overlapY(right, across) || overlapX(right, below) || overlapY(right, below) || !overlapX(across, right) || !overlapY(across, below) {
			continue
		}
		size := math.Inf(1)
		for _, c := range []*block{b, right, below, across} {
			size = min(size, c.lines[0].words[0].size)
		}
		dx, dy := columnNear*size, baselineShift*size
		if !alignedX(below, b, across, right, dx) || !alignedY(right, b, across, below, dy) {
			continue
		}
		table := -1
		for _, c := range []*block{b, right, below, across} {
			table = max(table, c.table)
		}
		if table < 0 {
			table = tables
			tables++
		}
		for _, c := range []*block{b, right, below, across} {
			c.table = table
		}
	}
	for _, b := range blocks {
		if b.table < 0 {
			continue
		}
		for _, c := range blocks {
			if c.table == b.table {
				b.exMin, b.exMax = min(b.exMin, c.xMin), max(b.exMax, c.xMax)
				b.eyMin, b.eyMax = min(b.eyMin, c.yMin), max(b.eyMax, c.yMax)
			}
		}
	}
}

func cells(blocks []*block, b *block) (right, below, across *block) {
	nextX, nextY, farX, farY := math.Inf(1), math.Inf(1), math.Inf(1), math.Inf(1)
	for _, c := range blocks {
		switch {
		case c == b:
		case overlapY(c, b) && c.xMin > b.xMax && c.xMin < nextX:
			nextX, right = c.xMin, c
		case overlapX(c, b) && c.yMin > b.yMax && c.yMin < nextY:
			nextY, below = c.yMin, c
		case c.xMin > b.xMax && c.xMin < farX && c.yMin > b.yMax && c.yMin < farY:
			farX, farY, across = c.xMin, c.yMin, c
		}
	}
	return right, below, across
}

// alignedX reports whether two pairs of blocks have the same left or right side, or center.
func alignedX(a, b, c, d *block, off float64) bool {
	near := func(x, y float64) bool { return math.Abs(x-y) <= off }
	return near(a.xMin, b.xMin) && near(c.xMin, d.xMin) || near(a.xMax, b.xMax) && near(c.xMax, d.xMax) ||
		near((a.xMin+a.xMax)/2, (b.xMin+b.xMax)/2) && near((c.xMin+c.xMax)/2, (d.xMin+d.xMax)/2)
}

func alignedY(a, b, c, d *block, off float64) bool {
	near := func(x, y float64) bool { return math.Abs(x-y) <= off }
	return near(a.yMin, b.yMin) && near(c.yMin, d.yMin) || near(a.yMax, b.yMax) && near(c.yMax, d.yMax) ||
		near((a.yMin+a.yMax)/2, (b.yMin+b.yMax)/2) && near((c.yMin+c.yMax)/2, (d.yMin+d.yMax)/2)
}

// widenBlocks extends blocks outside tables to the width of those below them, unless they
// would meet a neighbor.
func widenBlocks(blocks []*block) {
	for _, b := range blocks {
		if b.table >= 0 {
			continue
		}
		left, right := math.Inf(-1), math.Inf(1)
		for _, c := range blocks {
			if c == b || !overlapY(b, c) {
				continue
			}
			if c.xMin < right && c.xMin > b.xMax {
				right = c.xMin
			}
			if c.xMax > left && c.xMax < b.xMin {
				left = c.xMax
			}
		}
		for _, c := range blocks {
			if c == b || c.yMin < b.yMax {
				continue
			}
			if c.xMax > b.exMax && c.xMax <= right {
				b.exMax = c.xMax
			}
			if c.xMin < b.exMin && c.xMin >= left {
				b.exMin = c.xMin
			}
		}
	}
}

// sorter sorts blocks: one that comes before another is visited first.
type sorter struct {
	blocks  []*block
	visited []bool
	sorted  []*block
}

func (s *sorter) visit(i int) {
	if s.visited[i] {
		return
	}
	s.visited[i] = true
	b := s.blocks[i]
	for k, other := range s.blocks {
		if !s.visited[k] && s.before(other, b) {
			s.visit(k)
		}
	}
	s.sorted = append(s.sorted, b)
}

// before reports whether a comes before b: it is above and overlaps it, or it is to the left
// and no block between the two is below b and above a.
func (s *sorter) before(a, b *block) bool {
	if a.table >= 0 && a.table == b.table {
		return a.xMax <= b.xMin && overlapY(a, b) || a.yMax <= b.yMin
	}
	if a.above(b) {
		return true
	}
	if !a.leftOf(b) {
		return false
	}
	for _, c := range s.blocks {
		if c != a && c != b && b.above(c) && c.above(a) {
			return false
		}
	}
	return true
}

// leftOf reports whether a block ends before another begins, in its own direction of text.
func (b *block) leftOf(other *block) bool {
	switch (b.turn - b.main + 4) % 4 {
	case 1:
		return b.eyMax <= other.eyMin
	case 2:
		return b.exMin >= other.exMax
	case 3:
		return b.eyMin >= other.eyMax
	}
	return b.exMax <= other.exMin
}

func (b *block) above(other *block) bool {
	return b.exMin <= other.exMax && other.exMin <= b.exMax && b.eyMin < other.eyMin
}

// written returns the text of sorted blocks.
func written(blocks []*block) string {
	var out strings.Builder
	for len(blocks) > 0 {
		n := flow(blocks)
		for i, b := range blocks[:n] {
			for k, l := range b.lines {
				if l.hyphenated() && (k+1 < len(b.lines) || i+1 < n) {
					out.WriteString(strings.TrimSuffix(l.text, "-"))
					continue
				}
				out.WriteString(l.text)
				out.WriteByte('\n')
			}
		}
		out.WriteByte('\n')
		blocks = blocks[n:]
	}
	return out.String()
}

// flow returns how many of the first blocks are one text: each is close below the previous
// one, has no larger letters than the first, and fits into the column.
func flow(blocks []*block) int {
	first := blocks[0]
	low, high := first.freeMin, first.freeMax
	for i, b := range blocks[1:] {
		before := blocks[i]
		size := before.lines[0].words[0].size
		fits := b.yMin-before.yMax <= blockGap*size && b.xMin >= before.freeMin && b.xMax <= before.freeMax && b.yMin > before.yMin &&
			b.lines[0].words[0].size <= first.lines[0].words[0].size && b.xMin >= low && b.xMax <= high
		if !fits {
			return i + 1
		}
		low, high = max(low, b.freeMin), min(high, b.freeMax)
	}
	return len(blocks)
}
