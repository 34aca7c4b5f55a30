package jsonnode

import (
	"math/big"
	"math/bits"
	"reflect"
	"strings"

	"github.com/itchyny/gojq"
)

// The limits of numbers. Arithmetic with longer ones takes more than linear time, and
// Bessel functions take time in proportion to their order.
const (
	maxDigits = 10_000
	maxBits   = 1 << 20
	maxOrder  = 1_000_000
)

// refuse is a price above the limit.
func refuse() price { return price{looks: maxLook + 1} }

// length returns the number of bytes, items or fields of v.
func length(v any) int {
	switch x := v.(type) {
	case string:
		return len(x)
	case []any:
		return len(x)
	case map[string]any:
		return len(x)
	}
	return 0
}

// shallow returns the memory of a shallow copy of v.
func shallow(v any) int {
	switch x := v.(type) {
	case string:
		return len(x)
	case []any:
		return slotBytes * len(x)
	case map[string]any:
		return recordBytes(len(x))
	case *big.Int:
		return x.BitLen() / 8
	}
	return 0
}

// sum returns the price of l + r.
func sum(l, r any) price {
	switch l.(type) {
	case string, []any, map[string]any:
		return price{bytes: shallow(l) + shallow(r)}
	}
	return price{}
}

// total returns the price of adding up the items of v, with a separator between them.
func total(v, separator any) price {
	const growth = 2 // capacity of a growing slice, relative to its length
	bytes := length(v) * (slotBytes + boxBytes + shallow(separator))
	switch x := v.(type) {
	case []any:
		for _, e := range x {
			bytes += shallow(e)
		}
	case map[string]any:
		for _, e := range x {
			bytes += shallow(e)
		}
	}
	return price{bytes: growth * bytes, looks: length(v)}
}

// multiplication returns the price of l * r, which repeats texts and merges records.
func multiplication(l, r any) price {
	switch x := l.(type) {
	case string:
		return repetition(x, r)
	case map[string]any:
		if y, ok := r.(map[string]any); ok {
			return merging(x, y, 0)
		}
	case *big.Int:
		if y, ok := r.(*big.Int); ok && x.BitLen()+y.BitLen() > maxBits {
			return refuse()
		}
	}
	if text, ok := r.(string); ok {
		return repetition(text, l)
	}
	return price{}
}

func repetition(text string, times any) price {
	n, _ := gojq.ToInt(times)
	return price{bytes: product(len(text), max(0, n))}
}

func merging(l, r map[string]any, depth int) price {
	due := price{bytes: recordBytes(len(l) + len(r)), looks: len(l) + len(r)}
	if depth > maxNesting {
		return refuse()
	}
	for k, v := range r {
		below, ok := v.(map[string]any)
		old, both := l[k].(map[string]any)
		if ok && both {
			more := merging(old, below, depth+1)
			due.bytes, due.looks = due.bytes+more.bytes, due.looks+more.looks
		}
		if due.bytes > maxCall || due.looks > maxLook {
			break
		}
	}
	return due
}

// difference returns the price of l - r for lists: each item is compared with each.
func difference(l, r any) price {
	x, ok := l.([]any)
	if y, both := r.([]any); ok && both {
		return price{bytes: shallow(x), looks: product(len(x), size(y))}
	}
	return price{}
}

// splitting returns the price of splitting a text at a separator.
func splitting(v, separator any) price {
	text, _ := v.(string)
	at, ok := separator.(string)
	if !ok || text == "" {
		return price{}
	}
	return price{bytes: (1 + strings.Count(text, at)) * (2*slotBytes + boxBytes)}
}

// comparison returns the price of comparing l and r.
func comparison(l, r any) price {
	switch l.(type) {
	case nil, bool, int, float64, string:
		return price{}
	}
	var e extent
	e.both(l, r, 0)
	return price{looks: e.parts}
}

// sorting returns the price of sorting by a list of keys.
func sorting(keys any) price {
	list, _ := keys.([]any)
	return price{bytes: 4 * shallow(list), looks: product(size(list), bits.Len(uint(len(list))))}
}

func containment(v, part any) price {
	var e extent
	e.within(v, part, 0)
	return price{looks: e.parts}
}

// search returns the price of searching v for part: a text, a list or an item.
func search(v, part any) price {
	if part == nil {
		return price{looks: length(v)}
	}
	due := price{looks: product(length(v), size(part))}
	if text, ok := v.(string); ok {
		due.bytes = slotBytes * 2 * (len(text) + length(part))
		due.looks = product(len(text), length(part))
	}
	return due
}

// searchByIndex returns the price of following a path. A list in the path searches for a
// sublist.
func searchByIndex(v, path any) price {
	steps, _ := path.([]any)
	if _, text := v.(string); text {
		return scanning(v)
	}
	for _, step := range steps {
		if part, ok := step.([]any); ok {
			return price{looks: product(size(v), size(part))}
		}
	}
	return price{}
}

// printing returns the price of converting v to text with the function of that name.
func printing(v any, name string) price {
	const growth = 2 // capacity of a growing slice, relative to its length
	text, plain := v.(string)
	if plain && name == "tostring" {
		return price{}
	}
	e := extent{quoted: !plain || name == "tojson" || name == "format"}
	if e.all(v, 0); plain && !e.quoted {
		e.text = len(text)
	}
	switch name {
	case "format", "_tohtml", "_tosh", "_touri":
		e.text *= 6 // " becomes &quot;
	}
	return price{bytes: growth * e.text, looks: e.parts}
}

// reading returns the price of parsing JSON.
func reading(v any) price {
	text, _ := v.(string)
	due := price{bytes: len(text), looks: len(text) / 4}
	digits := 0 // number of consecutive digits
	for i := range len(text) {
		digits++
		switch text[i] {
		case '{':
			due.bytes += recordBytes(1)
		case '[':
			due.bytes += listBytes
		case ',':
			due.bytes += 4 * slotBytes
		}
		if c := text[i]; c < '0' || c > '9' {
			digits = 0
		} else if digits > maxDigits {
			return refuse()
		}
	}
	return due
}

// scanning returns the price of reading a text once.
func scanning(v any) price {
	text, _ := v.(string)
	return price{looks: len(text) / 8}
}

// spelling returns the price of parsing a number.
func spelling(v any) price {
	if length(v) > maxDigits {
		return refuse()
	}
	return price{looks: length(v)}
}

func flattening(v any, args []any) price {
	depth := float64(maxNesting)
	if len(args) > 0 {
		depth, _ = gojq.ToFloat64(args[0])
	}
	items := 0
	flatten(v, depth, 0, &items)
	return price{bytes: 4 * slotBytes * items, looks: items}
}

// flatten counts the items of nested lists, down to a depth.
func flatten(v any, depth float64, nesting int, items *int) {
	if nesting > maxNesting {
		*items = maxLook + 1
	}
	count := func(item any) {
		if *items++; depth < 0 || *items > maxLook {
			return
		}
		if list, ok := item.([]any); ok && depth > 0 {
			flatten(list, depth-1, nesting+1, items)
		}
	}
	switch x := v.(type) {
	case []any:
		for _, item := range x {
			count(item)
		}
	case map[string]any:
		for _, item := range x {
			count(item)
		}
	}
}

func transposition(v any) price {
	rows, _ := v.([]any)
	longest := 0
	for _, row := range rows {
		longest = max(longest, length(row))
	}
	return price{bytes: product(slotBytes*(len(rows)+2), longest)}
}

// setting returns the price of setting a value at a path. The containers on the path are
// copied, unless they are in owned: gojq's set of the addresses of containers that it has
// just created.
func setting(v, path, owned any) price {
	steps, _ := path.([]any)
	if len(steps) > maxNesting {
		return refuse()
	}
	own := reflect.ValueOf(owned)
	due := price{looks: len(steps)}
	for _, step := range steps {
		if !own.IsValid() || !isOwn(own, v) {
			due.bytes += shallow(v) + listBytes
		}
		switch at := step.(type) {
		case string:
			record, _ := v.(map[string]any)
			v = record[at]
			due.bytes += recordBytes(1)
		case map[string]any: // a slice
			due.bytes += 2 * shallow(v)
		default:
			var more int
			v, more = item(v, step)
			due.bytes += more
		}
	}
	return due
}

func isOwn(owned reflect.Value, v any) bool {
	switch v.(type) {
	case []any, map[string]any:
		return owned.MapIndex(reflect.ValueOf(reflect.ValueOf(v).Pointer())).IsValid()
	}
	return false
}

// item returns the item at an index of a list, and the memory for extending the list if the
// index is beyond its end.
func item(v, index any) (any, int) {
	list, _ := v.([]any)
	i, _ := gojq.ToInt(index)
	if i < 0 {
		i += len(list)
	}
	if i >= 0 && i < len(list) {
		return list[i], 0
	}
	return nil, product(2*slotBytes, max(0, i)+1)
}

// deletion returns the price of deleting paths, which walks the whole value.
func deletion(v, paths any) price {
	list, _ := paths.([]any)
	if len(list) == 0 {
		return price{}
	}
	var whole extent
	whole.all(v, 0)
	due := sorting(list)
	due.looks += whole.parts
	copied := 0
	for _, path := range list {
		if copied >= whole.bytes {
			break
		}
		copied += setting(v, path, nil).bytes
	}
	due.bytes += min(copied, whole.bytes)
	return due
}

// order returns the price of a Bessel function.
func order(n any) price {
	i, _ := gojq.ToInt(n)
	if i < -maxOrder || i > maxOrder {
		return refuse()
	}
	return price{looks: max(i, -i)}
}
