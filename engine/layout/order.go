package layout

import (
	"cmp"
	"slices"
)

// order orders the layers so that few wires cross. In alternating directions, each vertex
// moves to the mean position of its neighbours in the previous layer. The best order is
// kept and then improved by swapping neighbours.
func (l *layering) order() {
	const sweeps, patience = 24, 6
	l.firstOrder()
	best, fewest, since := l.copyLayers(), l.crossings(), 0
	for sweep := 0; sweep < sweeps && fewest > 0 && since < patience; sweep++ {
		l.sweep(sweep%2 == 1, sweep%4 >= 2)
		if c := l.crossings(); c < fewest {
			best, fewest, since = l.copyLayers(), c, 0
		} else {
			since++
		}
	}
	l.layers = best
	for _, layer := range l.layers {
		l.number(layer)
	}
	const exchanges = 8
	for i := 0; i < exchanges && fewest > 0 && l.exchange(); i++ {
		continue
	}
}

// firstOrder fills the layers by a depth-first traversal of the wires, so that connected
// vertices are close together.
func (l *layering) firstOrder() {
	l.layers = make([][]int, slices.Max(l.layer)+1)
	seen := make([]bool, len(l.boxes))
	for root := range l.real {
		for stack := []int{root}; len(stack) > 0; {
			v := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if seen[v] {
				continue
			}
			seen[v] = true
			l.layers[l.layer[v]] = append(l.layers[l.layer[v]], v)
			for _, links := range [][]link{l.prev[v], l.next[v]} { // pushed last, so next ones are visited first
				for _, to := range slices.Backward(links) {
					stack = append(stack, to.to)
				}
			}
		}
	}
	for _, layer := range l.layers {
		l.number(layer)
	}
}

func (l *layering) copyLayers() [][]int {
	layers := slices.Clone(l.layers)
	for i := range layers {
		layers[i] = slices.Clone(layers[i])
	}
	return layers
}

func (l *layering) number(layer []int) {
	for i, v := range layer {
		l.place[v] = float64(i)
	}
}

// port returns the position of a port in the layer of its vertex.
func (l *layering) port(v int, below float64) float64 { return l.place[v] + below/(l.boxes[v].Y+1) }

// sweep sorts each layer by the previous one, or in the other direction. Vertices without
// neighbours there stay where they are. lastFirst reverses the order of vertices with equal
// neighbours.
func (l *layering) sweep(back, lastFirst bool) {
	keys := make([]float64, len(l.boxes))
	var movable, slots []int
	for i := range l.layers {
		layer, links := l.layers[i], l.prev
		if back {
			layer, links = l.layers[len(l.layers)-1-i], l.next
		}
		movable, slots = movable[:0], slots[:0]
		for k, v := range layer {
			if len(links[v]) == 0 {
				continue
			}
			movable, slots = append(movable, v), append(slots, k)
			keys[v] = 0
			for _, to := range links[v] {
				keys[v] += (l.port(to.to, to.there) - to.here/(l.boxes[v].Y+1)) / float64(len(links[v]))
			}
		}
		if lastFirst {
			slices.Reverse(movable)
		}
		slices.SortStableFunc(movable, func(a, b int) int { return cmp.Compare(keys[a], keys[b]) })
		for k, slot := range slots {
			layer[slot] = movable[k]
		}
		l.number(layer)
	}
}

// crossings counts the crossings of wires between neighbouring layers.
func (l *layering) crossings() (n int) {
	type ends struct{ from, to float64 }
	var wires []ends
	var heights, spare []float64
	for _, layer := range l.layers {
		wires, heights = wires[:0], heights[:0]
		for _, v := range layer {
			for _, to := range l.next[v] {
				if l.layer[to.to] == l.layer[v]+1 {
					wires = append(wires, ends{l.port(v, to.here), l.port(to.to, to.there)})
				}
			}
		}
		slices.SortFunc(wires, func(a, b ends) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
		for _, w := range wires {
			heights = append(heights, w.to)
		}
		spare = slices.Grow(spare[:0], len(heights))[:len(heights)]
		n += inversions(heights, spare)
	}
	return n
}

// inversions counts the pairs in which the greater number comes first, while sorting all
// with a bottom-up merge sort.
func inversions(all, spare []float64) (n int) {
	for run := 1; run < len(all); run *= 2 {
		for low := 0; low < len(all); low += 2 * run {
			middle, high := min(low+run, len(all)), min(low+2*run, len(all))
			i, k := low, middle
			for to := low; to < high; to++ {
				if k == high || i < middle && all[i] <= all[k] {
					spare[to] = all[i]
					i++
				} else {
					spare[to] = all[k]
					n += middle - i
					k++
				}
			}
		}
		copy(all, spare)
	}
	return n
}

// exchange swaps neighbours in a layer if fewer wires cross afterwards. It reports whether
// it has swapped any.
func (l *layering) exchange() (swapped bool) {
	for _, layer := range l.layers {
		for i := range len(layer) - 1 {
			u, v := layer[i], layer[i+1]
			before := l.crossed(l.prev[u], l.prev[v]) + l.crossed(l.next[u], l.next[v])
			if before == 0 {
				continue
			}
			if l.crossed(l.prev[v], l.prev[u])+l.crossed(l.next[v], l.next[u]) < before {
				layer[i], layer[i+1] = v, u
				l.place[u], l.place[v] = l.place[v], l.place[u]
				swapped = true
			}
		}
	}
	return swapped
}

// crossed counts the crossings between the wires of a vertex and those of the next vertex
// below it. It returns 0 if there are very many wires, because counting would take too
// long.
func (l *layering) crossed(upper, lower []link) (n int) {
	const many = 1 << 10
	if len(upper)*len(lower) > many {
		return 0
	}
	for _, a := range upper {
		for _, b := range lower {
			if l.port(a.to, a.there) > l.port(b.to, b.there) {
				n++
			}
		}
	}
	return n
}
