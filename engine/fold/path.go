package fold

import (
	"strconv"
	"strings"
)

// separator separates the parts of a path. Node ids do not contain it.
const separator = "/"

// Path identifies a step in the events of a run: "fmt"; in a body "loop/3/fmt", with the
// number of the round after the container. Without round numbers it is the name of the
// node, "loop/fmt"; see [Path.Node]. [Join] and [Split] work on such names.
type Path string

// Node returns the name of the node: "loop/fmt" for "loop/3/fmt".
func (p Path) Node() string {
	if !p.Inside() {
		return string(p)
	}
	var b strings.Builder
	b.Grow(len(p))
	at := 0
	for part := range strings.SplitSeq(string(p), separator) {
		if at%2 == 0 {
			if at > 0 {
				b.WriteString(separator)
			}
			b.WriteString(part)
		}
		at++
	}
	return b.String()
}

// Inside reports whether the step is in the body of a container.
func (p Path) Inside() bool { return strings.Contains(string(p), separator) }

// Rounds returns the numbers of the rounds around the step, outermost first: 3 and 0 for
// "loop/3/in/0/fmt". A part that is not a number counts as 0.
func (p Path) Rounds() []int {
	var rounds []int
	at := 0
	for part := range strings.SplitSeq(string(p), separator) {
		if at%2 == 1 {
			n, _ := strconv.Atoi(part)
			rounds = append(rounds, n)
		}
		at++
	}
	return rounds
}

// Beside returns the path of another node in the same round.
func (p Path) Beside(id string) Path {
	return p[:strings.LastIndex(string(p), separator)+1] + Path(id)
}

// Join returns the name of node id in the body of containers, outermost first.
func Join(containers []string, id string) string {
	if len(containers) == 0 {
		return id
	}
	return strings.Join(containers, separator) + separator + id
}

// Split is the inverse of [Join].
func Split(node string) (containers []string, id string) {
	parts := strings.Split(node, separator)
	return parts[:len(parts)-1], parts[len(parts)-1]
}

// Container returns the name of the container around a node; "" if there is none.
func Container(node string) string {
	return node[:max(strings.LastIndex(node, separator), 0)]
}
