package editor

import (
	"cmp"
	"slices"
)

// layering lays out one connected graph in layers from left to right (after
// Sugiyama): longest paths give the layers, the middle of the neighbours gives the
// order in them, and their mean gives the heights.
//
// An edge that skips layers is led through a dummy vertex in each, so that other
// vertices leave room for it.
type layering struct {
	sizes      []Point // dummies at the end
	prev, next [][]int // neighbours to the left and to the right
	layer      []int
	layers     [][]int // vertices by layer, from top to bottom
	y          []float64
}

// maxDummies is how many dummies there may be for each vertex. Beyond it long
// edges go straight.
const maxDummies = 4

func newLayering(sizes []Point, edges [][2]int) *layering {
	edges = acyclic(len(sizes), edges)
	l := &layering{sizes: slices.Clone(sizes), layer: longestPaths(len(sizes), edges)}
	most := maxDummies * len(sizes)
	l.prev, l.next = make([][]int, len(sizes)), make([][]int, len(sizes))
	for _, e := range edges {
		from := e[0]
		for at := l.layer[e[0]] + 1; at < l.layer[e[1]] && most > 0; at, most = at+1, most-1 {
			dummy := len(l.sizes)
			l.sizes = append(l.sizes, Point{0, rowHeight})
			l.layer, l.prev, l.next = append(l.layer, at), append(l.prev, nil), append(l.next, nil)
			l.join(from, dummy)
			from = dummy
		}
		l.join(from, e[1])
	}
	l.layers = make([][]int, slices.Max(l.layer)+1)
	for v, at := range l.layer {
		l.layers[at] = append(l.layers[at], v)
	}
	return l
}

func (l *layering) join(from, to int) {
	l.next[from], l.prev[to] = append(l.next[from], to), append(l.prev[to], from)
}

// acyclic returns the edges without repetitions and without those that close a
// cycle on a walk in depth, which has no recursion.
func acyclic(n int, edges [][2]int) [][2]int {
	next := make([][]int, n)
	for _, e := range edges {
		if !slices.Contains(next[e[0]], e[1]) {
			next[e[0]] = append(next[e[0]], e[1])
		}
	}
	const fresh, open, closed = 0, 1, 2
	state := make([]uint8, n)
	done := make([]int, n) // how many edges of a vertex were walked
	var kept [][2]int
	for root := range n {
		for stack := []int{root}; len(stack) > 0 && state[root] != closed; {
			v := stack[len(stack)-1]
			state[v] = open
			if done[v] == len(next[v]) {
				state[v] = closed
				stack = stack[:len(stack)-1]
				continue
			}
			w := next[v][done[v]]
			done[v]++
			if state[w] != open {
				kept = append(kept, [2]int{v, w})
			}
			if state[w] == fresh {
				stack = append(stack, w)
			}
		}
	}
	slices.SortFunc(kept, func(a, b [2]int) int { return cmp.Or(a[0]-b[0], a[1]-b[1]) })
	return kept
}

// longestPaths returns for each vertex how many edges the longest way to it has.
func longestPaths(n int, edges [][2]int) []int {
	next, open := make([][]int, n), make([]int, n)
	for _, e := range edges {
		next[e[0]] = append(next[e[0]], e[1])
		open[e[1]]++
	}
	var queue []int
	for v := range n {
		if open[v] == 0 {
			queue = append(queue, v)
		}
	}
	layer := make([]int, n)
	for k := 0; k < len(queue); k++ {
		v := queue[k]
		for _, w := range next[v] {
			layer[w] = max(layer[w], layer[v]+1)
			if open[w]--; open[w] == 0 {
				queue = append(queue, w)
			}
		}
	}
	return layer
}

// sort orders the layers so that few edges cross: to and fro, each vertex goes to
// the mean place of its neighbours in the layer before.
func (l *layering) sort() {
	const sweeps = 6
	place := make([]float64, len(l.sizes))
	number := func(layer []int) {
		for i, v := range layer {
			place[v] = float64(i)
		}
	}
	for _, layer := range l.layers {
		number(layer)
	}
	for sweep := range sweeps {
		for i := range l.layers {
			layer, neighbours := l.layers[i], l.prev
			if sweep%2 == 1 {
				layer, neighbours = l.layers[len(l.layers)-1-i], l.next
			}
			key := make(map[int]float64, len(layer))
			for _, v := range layer {
				key[v] = mean(neighbours[v], place, place[v])
			}
			slices.SortStableFunc(layer, func(a, b int) int { return cmp.Compare(key[a], key[b]) })
			number(layer)
		}
	}
}

// mean returns the mean of what at has for vertices, or otherwise if there are
// none.
func mean(vertices []int, at []float64, otherwise float64) float64 {
	if len(vertices) == 0 {
		return otherwise
	}
	sum := 0.0
	for _, v := range vertices {
		sum += at[v]
	}
	return sum / float64(len(vertices))
}

// settle gives the vertices their heights: each wants to be level with its
// neighbours, and none may overlap another.
func (l *layering) settle() {
	const sweeps = 6
	middle := make([]float64, len(l.sizes))
	l.y = make([]float64, len(l.sizes))
	for _, layer := range l.layers {
		l.spread(layer, middle)
	}
	for sweep := range sweeps {
		for i := range l.layers {
			layer, neighbours := l.layers[i], l.prev
			if sweep%2 == 1 {
				layer, neighbours = l.layers[len(l.layers)-1-i], l.next
			}
			for _, v := range layer { // neighbours are never of the same layer
				middle[v] = mean(neighbours[v], middle, middle[v])
			}
			l.spread(layer, middle)
		}
	}
	for v := range l.sizes {
		l.y[v] = middle[v] - l.sizes[v].Y/2
	}
}

// spread moves the vertices of a layer apart where they overlap, keeping their
// order, and then all of them so that on the whole they are where they were.
func (l *layering) spread(layer []int, middle []float64) {
	shift, floor := 0.0, 0.0
	for i, v := range layer {
		half := l.sizes[v].Y / 2
		to := middle[v]
		if i > 0 {
			to = max(to, floor+nodeGap+half)
		}
		shift += to - middle[v]
		middle[v], floor = to, to+half
	}
	shift /= float64(len(layer))
	for _, v := range layer {
		middle[v] -= shift
	}
}

// columns returns where each layer begins.
func (l *layering) columns() []float64 {
	x, at := make([]float64, len(l.layers)), 0.0
	for i, layer := range l.layers {
		x[i] = at
		widest := 0.0
		for _, v := range layer {
			widest = max(widest, l.sizes[v].X)
		}
		at += widest + layerGap
	}
	return x
}
