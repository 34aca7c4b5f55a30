package jsonnode

import (
	"math/bits"
)

// pricing returns how to tell the price of a function of gojq, by its name, or nil
// for those that take next to nothing: as long as their arguments are bounded, what
// they do is, too.
func pricing(name string) func(v any, args []any) price {
	switch name {
	case iterName:
		return func(v any, _ []any) price { return price{bytes: 40 * length(v)} }
	case "keys", "reverse", "_captures":
		return func(v any, _ []any) price { return price{bytes: 40 * length(v)} }
	case "_add":
		return func(_ any, args []any) price { return sum(args[0], args[1]) }
	case "add":
		return func(v any, _ []any) price { return total(v, nil) }
	case "join":
		return func(v any, args []any) price { return total(v, args[0]) }
	case "_multiply":
		return func(_ any, args []any) price { return multiplication(args[0], args[1]) }
	case "_subtract":
		return func(_ any, args []any) price { return difference(args[0], args[1]) }
	case "_divide":
		return func(_ any, args []any) price { return splitting(args[0], args[1]) }
	case "split":
		return func(v any, args []any) price { return splitting(v, args[0]) }
	case "_equal", "_notequal", "_less", "_lesseq", "_greater", "_greatereq":
		return func(_ any, args []any) price { return comparison(args[0], args[1]) }
	case "sort", "unique", "min", "max":
		return func(v any, _ []any) price { return sorting(v) }
	case "_sort_by", "_group_by", "_unique_by", "_min_by", "_max_by":
		return func(_ any, args []any) price { return sorting(args[0]) }
	case "bsearch":
		return func(_ any, args []any) price { return price{looks: product(size(args[0]), bits.UintSize)} }
	case "contains":
		return func(v any, args []any) price { return containment(v, args[0]) }
	case "inside":
		return func(v any, args []any) price { return containment(args[0], v) }
	case "index", "rindex", "indices":
		return func(v any, args []any) price { return search(v, args[0]) }
	case "_index":
		return func(_ any, args []any) price { return searchByIndex(args[0], args[1:]) }
	case "getpath":
		return func(v any, args []any) price { return searchByIndex(v, args[0]) }
	}
	return pricingOfMakers(name)
}

// pricingOfMakers is pricing for the functions that turn values into others.
func pricingOfMakers(name string) func(v any, args []any) price {
	switch name {
	case "tojson", "tostring", "format", "_tohtml", "_touri", "_tourid", "_tocsv", "_totsv", "_tosh", "_tobase64", "_tobase64d":
		return func(v any, _ []any) price { return printing(v, name) }
	case "fromjson":
		return func(v any, _ []any) price { return reading(v) }
	case "tonumber":
		return func(v any, _ []any) price { return spelling(v) }
	case "explode", "implode", "ascii_downcase", "ascii_upcase":
		return func(v any, _ []any) price { return price{bytes: 24 * length(v)} }
	case "strftime", "strflocaltime":
		return func(_ any, args []any) price { return price{bytes: 512 * length(args[0])} } // %1024Y
	case "flatten":
		return flattening
	case "transpose":
		return func(v any, _ []any) price { return transposition(v) }
	case "setpath":
		return func(v any, args []any) price { return setting(v, args[0], nil) }
	case "_setpath":
		return func(v any, args []any) price { return setting(v, args[0], args[2]) }
	case "delpaths", "_delpaths":
		return func(v any, args []any) price { return deletion(v, args[0]) }
	case "jn", "yn":
		return func(_ any, args []any) price { return order(args[0]) }
	case "builtins":
		return func(any, []any) price { return price{bytes: 32 << 10} }
	}
	return nil
}
