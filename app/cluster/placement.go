package cluster

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Placement maps node types to queues, whose workers call them instead of the driver of the run.
// The zero Placement places none. Containers and nodes without side effects are never placed;
// nodes inside of containers are.
type Placement struct{ rules []rule }

type rule struct{ pattern, queue string }

var queueName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,62}$`)

// ParsePlacement parses rules such as media.transcode=gpu and media.*=gpu. [Placement.Check]
// finds types that are placed twice.
func ParsePlacement(rules ...string) (p Placement, err error) {
	for _, text := range rules {
		pattern, queue, ok := strings.Cut(text, "=")
		if _, wrong := path.Match(pattern, ""); !ok || pattern == "" || wrong != nil {
			return Placement{}, fmt.Errorf("%q is not a placement; write TYPE=QUEUE, such as media.*=gpu", text)
		}
		if err := CheckQueue(queue); err != nil {
			return Placement{}, err
		}
		p.rules = append(p.rules, rule{pattern, queue})
	}
	return p, nil
}

// CheckQueue checks the name of a queue.
func CheckQueue(name string) error {
	if !queueName.MatchString(name) {
		return fmt.Errorf("%q is no name of a queue; it has up to 63 of a-z, 0-9, - and _, and begins with one of the first", name)
	}
	return nil
}

// Check reports rules that match no node type and types that are placed twice.
func (p Placement) Check(types []string) error {
	var wrong []error
	for i, r := range p.rules {
		if !slices.ContainsFunc(types, r.fits) {
			wrong = append(wrong, fmt.Errorf("%s=%s fits no node type there is", r.pattern, r.queue))
		}
		for _, other := range p.rules[:i] {
			both := func(typ string) bool { return r.fits(typ) && other.fits(typ) }
			if k := slices.IndexFunc(types, both); k >= 0 {
				wrong = append(wrong, fmt.Errorf("%s is placed twice, by %s=%s and %s=%s", types[k], other.pattern, other.queue, r.pattern, r.queue))
			}
		}
	}
	return errors.Join(wrong...)
}

func (r rule) fits(typ string) bool {
	ok, _ := path.Match(r.pattern, typ) // ParsePlacement has checked the pattern
	return ok
}

// queue returns the queue of a node type.
func (p Placement) queue(typ string) (name string, placed bool) {
	i := slices.IndexFunc(p.rules, func(r rule) bool { return r.fits(typ) })
	if i < 0 {
		return "", false
	}
	return p.rules[i].queue, true
}
