package jsonnode

import "math/bits"

// class is what the price of a gojq function depends on.
type class string

// The classes. A function without a class is refused, since the cost of functions that a
// later release of gojq adds is unknown.
const (
	unknown class = ""
	free    class = "free"    // almost no cost, as long as the arguments are within the limits
	copies  class = "copies"  // the result is about as large as the input
	grows   class = "grows"   // the result is larger than the input
	prints  class = "prints"  // converts a value to text
	reads   class = "reads"   // converts text to a value
	cuts    class = "cuts"    // returns parts that would keep the input alive; see ownParts
	looks   class = "looks"   // compares or searches
	edits   class = "edits"   // follows paths
	matches class = "matches" // regular expressions; see guardMatch
	counts  class = "counts"  // the time depends on a number
)

// tariff computes the price of a call before the call is made.
type tariff struct {
	class class
	price func(v any, args []any) price // nil for free functions and those with their own guard
}

// tariffOf returns the tariff of a gojq function by its name.
func tariffOf(name string) tariff {
	for _, of := range []func(string) tariff{tariffOfFree, tariffOfOperators, tariffOfLookers, tariffOfMakers, tariffOfText} {
		if t := of(name); t.class != unknown {
			return t
		}
	}
	return tariff{unknown, func(any, []any) price { return refuse() }}
}

func tariffOfFree(name string) tariff {
	switch name {
	case "type", "has", "toboolean", "_plus", "_negate", "_modulo", "_alternative", "_range", "_break", "_allocator",
		"error", "halt", "halt_error", "infinite", "nan", "isfinite", "isinfinite", "isnan", "isnormal",
		"gmtime", "localtime", "mktime", "now", "modulemeta", "input":
		return tariff{class: free}
	case "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh",
		"floor", "round", "nearbyint", "rint", "ceil", "trunc", "significand", "fabs", "sqrt", "cbrt",
		"exp", "exp10", "exp2", "expm1", "frexp", "modf", "log", "log10", "log1p", "log2", "logb",
		"gamma", "tgamma", "lgamma", "erf", "erfc", "j0", "j1", "y0", "y1",
		"atan2", "copysign", "drem", "fdim", "fmax", "fmin", "fmod", "hypot", "nextafter", "nexttoward", "remainder",
		"ldexp", "scalb", "scalbln", "pow", "fma":
		return tariff{class: free}
	case "_match":
		return tariff{class: matches}
	}
	return tariff{}
}

func tariffOfOperators(name string) tariff {
	switch name {
	case iterName:
		return tariff{copies, func(v any, _ []any) price { return price{bytes: 40 * length(v)} }}
	case "_add":
		return tariff{grows, func(_ any, args []any) price { return sum(args[0], args[1]) }}
	case "_multiply":
		return tariff{grows, func(_ any, args []any) price { return multiplication(args[0], args[1]) }}
	case "_subtract":
		return tariff{looks, func(_ any, args []any) price { return difference(args[0], args[1]) }}
	case "_divide":
		return tariff{cuts, func(_ any, args []any) price { return splitting(args[0], args[1]) }}
	case "_equal", "_notequal", "_less", "_lesseq", "_greater", "_greatereq":
		return tariff{looks, func(_ any, args []any) price { return comparison(args[0], args[1]) }}
	case "_index":
		return tariff{cuts, func(_ any, args []any) price { return searchByIndex(args[0], args[1:]) }}
	case "_slice":
		return tariff{cuts, func(_ any, args []any) price { return scanning(args[0]) }}
	}
	return tariff{}
}

func tariffOfLookers(name string) tariff {
	switch name {
	case "sort", "unique", "min", "max":
		return tariff{looks, func(v any, _ []any) price { return sorting(v) }}
	case "_sort_by", "_group_by", "_unique_by", "_min_by", "_max_by":
		return tariff{looks, func(_ any, args []any) price { return sorting(args[0]) }}
	case "bsearch":
		return tariff{looks, func(_ any, args []any) price { return price{looks: product(size(args[0]), bits.UintSize)} }}
	case "contains":
		return tariff{looks, func(v any, args []any) price { return containment(v, args[0]) }}
	case "inside":
		return tariff{looks, func(v any, args []any) price { return containment(args[0], v) }}
	case "index", "rindex", "indices":
		return tariff{looks, func(v any, args []any) price { return search(v, args[0]) }}
	case "length", "utf8bytelength", "startswith", "endswith":
		return tariff{looks, func(v any, _ []any) price { return scanning(v) }}
	case "getpath":
		return tariff{cuts, func(v any, args []any) price { return searchByIndex(v, args[0]) }}
	case "setpath":
		return tariff{edits, func(v any, args []any) price { return setting(v, args[0], nil) }}
	case "_setpath":
		return tariff{edits, func(v any, args []any) price { return setting(v, args[0], args[2]) }}
	case "delpaths", "_delpaths":
		return tariff{edits, func(v any, args []any) price { return deletion(v, args[0]) }}
	case "jn", "yn":
		return tariff{counts, func(_ any, args []any) price { return order(args[0]) }}
	}
	return tariff{}
}

// tariffOfMakers returns the tariffs of functions that convert values.
func tariffOfMakers(name string) tariff {
	switch name {
	case "keys", "reverse", "_captures":
		return tariff{copies, func(v any, _ []any) price { return price{bytes: 40 * length(v)} }}
	case "add":
		return tariff{grows, func(v any, _ []any) price { return total(v, nil) }}
	case "join":
		return tariff{grows, func(v any, args []any) price { return total(v, args[0]) }}
	case "flatten":
		return tariff{grows, flattening}
	case "transpose":
		return tariff{grows, func(v any, _ []any) price { return transposition(v) }}
	case "builtins":
		return tariff{copies, func(any, []any) price { return price{bytes: 32 << 10} }}
	case "tojson", "tostring", "format", "_tohtml", "_touri", "_tourid", "_tocsv", "_totsv", "_tosh", "_tobase64", "_tobase64d":
		return tariff{prints, func(v any, _ []any) price { return printing(v, name) }}
	}
	return tariff{}
}

func tariffOfText(name string) tariff {
	switch name {
	case "split":
		return tariff{cuts, func(v any, args []any) price { return splitting(v, args[0]) }}
	case "ltrimstr", "rtrimstr", "trimstr", "ltrim", "rtrim", "trim":
		return tariff{cuts, func(v any, _ []any) price { return scanning(v) }}
	case "fromjson":
		return tariff{reads, func(v any, _ []any) price { return reading(v) }}
	case "tonumber":
		return tariff{reads, func(v any, _ []any) price { return spelling(v) }}
	case "strptime":
		return tariff{reads, func(v any, args []any) price { return price{looks: length(v) + length(args[0])} }}
	case "explode", "implode", "ascii_downcase", "ascii_upcase":
		return tariff{copies, func(v any, _ []any) price { return price{bytes: 24 * length(v)} }}
	case "strftime", "strflocaltime":
		return tariff{grows, func(_ any, args []any) price { return price{bytes: 512 * length(args[0])} }} // a format such as %1024Y
	}
	return tariff{}
}
