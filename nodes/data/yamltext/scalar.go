package yamltext

import (
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/svcflow/svc/nodes/reading"
)

// The tags of scalars.
const (
	nullTag  = "!!null"
	boolTag  = "!!bool"
	intTag   = "!!int"
	floatTag = "!!float"
)

// scalar converts a scalar. One that is quoted, or has another tag, is a text.
func (u *unfolding) scalar(n *yaml.Node) (any, error) {
	text := strings.ToValidUTF8(n.Value, "\uFFFD")
	tag := ""
	if n.Style&yaml.TaggedStyle != 0 {
		tag = n.ShortTag()
		switch tag {
		case nullTag, boolTag, intTag, floatTag:
		default:
			return text, nil
		}
	} else if n.Style != 0 {
		return text, nil
	}
	v, is := u.plain(n)
	switch tag {
	case nullTag:
		return nil, nil
	case boolTag, intTag, floatTag:
		_, isBool := v.(bool)
		_, isInt := v.(int)
		_, isFloat := v.(float64)
		if tag == floatTag && isInt {
			v, isFloat = float64(v.(int)), true
		}
		if !is || tag == boolTag && !isBool || tag == intTag && !isInt && !isFloat || tag == floatTag && !isFloat {
			return nil, reading.Invalid("line %d: %q is not of the type %s", n.Line, shortened(n.Value), tag)
		}
	}
	if !is {
		return text, nil
	}
	if f, isFloat := v.(float64); isFloat && (math.IsNaN(f) || math.IsInf(f, 0)) {
		return nil, reading.Invalid("line %d: %s is no number that can be calculated with", n.Line, shortened(n.Value))
	}
	return v, nil
}

// plain returns the value of a scalar that is not a text.
func (u *unfolding) plain(n *yaml.Node) (v any, is bool) {
	s := n.Value
	switch s {
	case "", "~", "null", "Null", "NULL":
		return nil, true
	case "true", "True", "TRUE":
		return true, true
	case "false", "False", "FALSE":
		return false, true
	case ".nan", ".NaN", ".NAN":
		return math.NaN(), true
	case ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF":
		return math.Inf(1), true
	case "-.inf", "-.Inf", "-.INF":
		return math.Inf(-1), true
	}
	if u.version == "1.1" {
		switch s {
		case "yes", "Yes", "YES", "on", "On", "ON", "y", "Y":
			return true, true
		case "no", "No", "NO", "off", "Off", "OFF", "n", "N":
			return false, true
		}
	}
	if c := s[0]; c != '+' && c != '-' && c != '.' && (c < '0' || c > '9') {
		return nil, false
	}
	return u.number(n)
}

// number returns the number that a scalar is.
func (u *unfolding) number(n *yaml.Node) (v any, is bool) {
	digits, negative := n.Value, false
	if digits[0] == '-' || digits[0] == '+' {
		negative, digits = digits[0] == '-', digits[1:]
	}
	if u.version != "1.2" {
		if strings.HasPrefix(digits, "_") {
			return nil, false
		}
		digits = strings.ReplaceAll(digits, "_", "")
	}
	whole := digits != "" && strings.Trim(digits, "0123456789") == ""
	switch {
	case strings.HasPrefix(digits, "0x"):
		return integer(digits[2:], 16, negative)
	case strings.HasPrefix(digits, "0o") && u.version != "1.1":
		return integer(digits[2:], 8, negative)
	case strings.HasPrefix(digits, "0b") && u.version != "1.2":
		return integer(digits[2:], 2, negative)
	case whole && len(digits) > 1 && digits[0] == '0' && u.version != "1.2" && strings.Trim(digits, "01234567") == "":
		if u.version == "" && strings.Trim(digits, "0") != "" {
			u.notes.Repaired(n.Line, "", "%s is read as an octal number, as in YAML 1.1; write 0o%s for that, or quote a text", shortened(n.Value), strings.TrimLeft(digits, "0"))
		}
		return integer(digits, 8, negative)
	case whole:
		return integer(digits, 10, negative)
	case u.version == "1.1" && isBase60(digits):
		return base60(digits, negative), true
	case isFloat(digits):
		f, err := strconv.ParseFloat(digits, 64)
		if err != nil {
			return nil, false // out of range: it stays a text
		}
		if negative {
			f = -f
		}
		return f, true
	}
	return nil, false
}

// integer returns a whole number: an int or, past 64 bits, a float.
func integer(digits string, base int, negative bool) (any, bool) {
	if negative {
		digits = "-" + digits
	}
	if n, err := strconv.ParseInt(digits, base, 64); err == nil {
		return int(n), true
	}
	n, is := new(big.Int).SetString(digits, base)
	if !is || strings.HasPrefix(digits, "--") || strings.HasPrefix(digits, "+") || len(digits) > 400 {
		return nil, false
	}
	f, _ := new(big.Float).SetInt(n).Float64()
	return f, !math.IsInf(f, 0)
}

// isFloat reports whether a text is a decimal number with a fraction or an exponent.
func isFloat(s string) bool {
	mantissa, exponent, has := strings.Cut(strings.ToLower(s), "e")
	if has {
		exponent = strings.TrimLeft(exponent, "+-")
		if len(s)-len(mantissa)-1-len(exponent) > 1 || exponent == "" || strings.Trim(exponent, "0123456789") != "" {
			return false
		}
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	return whole+fraction != "" && strings.Trim(whole+fraction, "0123456789") == ""
}

func isBase60(s string) bool {
	return regexp.MustCompile(`^[0-9]{1,9}(:[0-5]?[0-9]){1,4}(\.[0-9]*)?$`).MatchString(s)
}

// base60 returns a number such as 1:30 of YAML 1.1.
func base60(s string, negative bool) any {
	s, fraction, isFloat := strings.Cut(s, ".")
	n := 0
	for part := range strings.SplitSeq(s, ":") {
		digit, _ := strconv.Atoi(part) // digits only
		n = n*60 + digit
	}
	if negative {
		n = -n
	}
	if !isFloat {
		return n
	}
	f, _ := strconv.ParseFloat("0."+fraction, 64) // digits only
	if negative {
		f = -f
	}
	return float64(n) + f
}
