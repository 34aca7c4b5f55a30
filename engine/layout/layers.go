package layout

import "slices"

// acyclic returns the wires without those that close a cycle in a depth-first traversal
// from the sources, which uses no recursion.
func (f *Graph) acyclic() []Wire {
	n := len(f.Boxes)
	next, fed := make([][]int, n), make([]bool, n)
	for i, w := range f.Wires {
		next[w.From], fed[w.To] = append(next[w.From], i), true
	}
	var roots []int
	for _, sources := range []bool{true, false} {
		for v := range n {
			if fed[v] != sources {
				roots = append(roots, v)
			}
		}
	}
	const fresh, open, closed = 0, 1, 2
	state := make([]uint8, n)
	var kept []Wire
	for _, root := range roots {
		for stack := []int{root}; len(stack) > 0 && state[root] != closed; {
			v := stack[len(stack)-1]
			state[v] = open
			if len(next[v]) == 0 {
				state[v] = closed
				stack = stack[:len(stack)-1]
				continue
			}
			w := f.Wires[next[v][0]]
			next[v] = next[v][1:]
			if state[w.To] != open {
				kept = append(kept, w)
			}
			if state[w.To] == fresh {
				stack = append(stack, w.To)
			}
		}
	}
	return kept
}

// ranking assigns the vertices of an acyclic graph to layers.
type ranking struct {
	next, prev [][]int
	layer      []int
	sorted     []int // vertices in topological order
}

// layersOf returns the layer of each vertex: as close to the first layer as wires allow,
// then moved towards connected vertices if that makes wires shorter.
func layersOf(n int, wires []Wire) []int {
	r := &ranking{next: make([][]int, n), prev: make([][]int, n), layer: make([]int, n)}
	for _, w := range wires {
		r.next[w.From], r.prev[w.To] = append(r.next[w.From], w.To), append(r.prev[w.To], w.From)
	}
	r.longestPaths()
	const rounds = 8
	for range rounds {
		if !r.tightenBlocks() {
			break
		}
	}
	r.tightenVertices()
	first := slices.Min(r.layer)
	for v := range r.layer {
		r.layer[v] -= first
	}
	return r.layer
}

// longestPaths sets the layer of each vertex to the length of the longest path to it.
func (r *ranking) longestPaths() {
	open := make([]int, len(r.layer))
	for v, before := range r.prev {
		if open[v] = len(before); open[v] == 0 {
			r.sorted = append(r.sorted, v)
		}
	}
	for k := 0; k < len(r.sorted); k++ {
		v := r.sorted[k]
		for _, w := range r.next[v] {
			r.layer[w] = max(r.layer[w], r.layer[v]+1)
			if open[w]--; open[w] == 0 {
				r.sorted = append(r.sorted, w)
			}
		}
	}
}

// tightenBlocks moves each block of vertices that are connected by shortest wires to the
// side where more of its other wires lead. So a chain ends directly before the first vertex
// that needs it. It reports whether a block was moved.
func (r *ranking) tightenBlocks() (moved bool) {
	seen := make([]bool, len(r.layer))
	for _, root := range r.sorted {
		if seen[root] {
			continue
		}
		block := r.blockOf(root, seen)
		inside := make(map[int]bool, len(block))
		for _, v := range block {
			inside[v] = true
		}
		right, left := slack{}, slack{}
		for _, v := range block {
			for _, w := range r.next[v] {
				right.add(r.layer[w]-r.layer[v]-1, inside[w])
			}
			for _, u := range r.prev[v] {
				left.add(r.layer[v]-r.layer[u]-1, inside[u])
			}
		}
		by := 0
		switch {
		case right.wires > left.wires:
			by = right.least
		case left.wires > right.wires:
			by = -left.least
		}
		for _, v := range block {
			r.layer[v] += by
		}
		moved = moved || by != 0
	}
	return moved
}

// blockOf returns the vertices connected to v by wires between neighbouring layers.
func (r *ranking) blockOf(v int, seen []bool) []int {
	seen[v] = true
	block := []int{v}
	for k := 0; k < len(block); k++ {
		v := block[k]
		for _, w := range slices.Concat(r.next[v], r.prev[v]) {
			if d := r.layer[w] - r.layer[v]; !seen[w] && (d == 1 || d == -1) {
				seen[w] = true
				block = append(block, w)
			}
		}
	}
	return block
}

// slack counts the wires on one side that could be shorter, and by how much all of them
// could.
type slack struct{ wires, least int }

func (s *slack) add(spare int, inside bool) {
	if inside {
		return
	}
	if s.wires == 0 || spare < s.least {
		s.least = spare
	}
	s.wires++
}

// tightenVertices moves single vertices to the side where more of their wires lead: first
// to the right, from last to first, and then to the left.
func (r *ranking) tightenVertices() {
	for _, v := range slices.Backward(r.sorted) {
		if len(r.next[v]) > len(r.prev[v]) {
			r.layer[v] = r.layer[slices.MinFunc(r.next[v], r.byLayer)] - 1
		}
	}
	for _, v := range r.sorted {
		if len(r.prev[v]) > len(r.next[v]) {
			r.layer[v] = r.layer[slices.MaxFunc(r.prev[v], r.byLayer)] + 1
		}
	}
}

func (r *ranking) byLayer(a, b int) int { return r.layer[a] - r.layer[b] }
