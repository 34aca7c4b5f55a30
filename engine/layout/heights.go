package layout

import (
	"cmp"
	"slices"
)

// The rounds in which layers are aligned with their neighbours: from left to right in even
// rounds, and back in odd ones.
const (
	bothSides  = 4  // first round that considers both sides, which contracts the drawing
	oneMiddle  = 11 // first round that straightens one wire of each vertex if possible
	onlyFirst  = 13 // last round; it moves only vertices without incoming wires
	restWeight = 1 << 10
)

// settle sets the heights of the vertices: wires should be straight, and neighbours must
// keep the gap.
func (l *layering) settle() {
	for _, layer := range l.layers {
		at := 0.0
		for _, v := range layer {
			l.y[v] = at
			at += l.boxes[v].Y + NodeGap
		}
	}
	for round := range onlyFirst + 1 {
		for i := range l.layers {
			if round%2 == 1 {
				i = len(l.layers) - 1 - i
			}
			l.fit(l.layers[i], round)
		}
	}
}

// wish returns the desired height of a vertex in a round, and its weight.
func (l *layering) wish(v, round int) (want, weight float64) {
	side, other := l.prev[v], l.next[v]
	if round%2 == 1 {
		side, other = other, side
	}
	if len(side) == 0 {
		side, other = other, nil
	}
	switch {
	case round == onlyFirst && len(l.prev[v]) > 0:
		return l.y[v], restWeight
	case round >= oneMiddle:
		return l.median(side)
	case round >= bothSides:
		return l.mean(side, other)
	}
	return l.mean(side, nil)
}

// mean returns the weighted mean of the heights at which the wires of a vertex are
// straight, and their total weight.
func (l *layering) mean(links, more []link) (want, weight float64) {
	for _, links := range [][]link{links, more} {
		for _, to := range links {
			want += to.weight * (l.y[to.to] + to.there - to.here)
			weight += to.weight
		}
	}
	return want / max(weight, 1), weight
}

// median returns the height at which the median wire of a vertex is straight, and the total
// weight of the wires.
func (l *layering) median(links []link) (want, weight float64) {
	type pull struct{ to, weight float64 }
	pulls := make([]pull, 0, len(links))
	for _, to := range links {
		pulls = append(pulls, pull{l.y[to.to] + to.there - to.here, to.weight})
		weight += to.weight
	}
	slices.SortFunc(pulls, func(a, b pull) int { return cmp.Compare(a.to, b.to) })
	half := weight / 2
	for i, p := range pulls {
		half -= p.weight
		if half == 0 && i+1 < len(pulls) {
			return (p.to + pulls[i+1].to) / 2, weight
		}
		if half < 0 || i+1 == len(pulls) {
			return p.to, weight
		}
	}
	return 0, 0
}

// pool is a sequence of vertices of a layer that are as close to each other as allowed.
type pool struct {
	first  int
	sum    float64 // weighted sum of the heights that they want for the first one
	weight float64
}

func (p pool) at() float64 { return p.sum / p.weight }

// fit moves the vertices of a layer as close to their desired heights as their order and
// the gaps allow: it minimizes the sum of the squared distances by pooling neighbours that
// would come too close (PAVA).
func (l *layering) fit(layer []int, round int) {
	const least = 1e-3                     // weight of a vertex without a wish
	offsets := make([]float64, len(layer)) // from the first one, if all were as close as allowed
	pools := make([]pool, 0, len(layer))
	for i, v := range layer {
		if i > 0 {
			offsets[i] = offsets[i-1] + l.boxes[layer[i-1]].Y + NodeGap
		}
		want, weight := l.wish(v, round)
		if weight == 0 {
			want, weight = l.y[v], least
		}
		p := pool{i, (want - offsets[i]) * weight, weight}
		for k := len(pools) - 1; k >= 0 && pools[k].at() >= p.at(); k-- {
			p = pool{pools[k].first, pools[k].sum + p.sum, pools[k].weight + p.weight}
			pools = pools[:k]
		}
		pools = append(pools, p)
	}
	for k, p := range pools {
		end := len(layer)
		if k+1 < len(pools) {
			end = pools[k+1].first
		}
		for i := p.first; i < end; i++ {
			l.y[layer[i]] = p.at() + offsets[i]
		}
	}
}
