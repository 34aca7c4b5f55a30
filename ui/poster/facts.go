package poster

import (
	"slices"
	"strconv"
	"strings"

	"github.com/svcflow/svc/engine/value/view"
)

// factsOf says in a line what media.probe knows of a file.
func factsOf(known map[string]any) string {
	var parts []string
	if ms := number(known["duration_ms"]); ms > 0 {
		parts = append(parts, view.Lasting(ms/1000))
	}
	if w, h := number(known["width"]), number(known["height"]); w > 0 && h > 0 {
		parts = append(parts, short(w)+" × "+short(h))
	}
	if fps := number(known["fps"]); fps > 0 {
		parts = append(parts, short(fps)+" fps")
	}
	if codecs := codecsOf(known["streams"]); len(codecs) > 0 {
		parts = append(parts, strings.Join(codecs, ", "))
	}
	if bytes := number(known["size_bytes"]); bytes > 0 {
		parts = append(parts, view.Bytes(int(bytes)))
	}
	return strings.Join(parts, " · ")
}

// codecsOf returns the codecs of streams, each once.
func codecsOf(streams any) (codecs []string) {
	list, _ := streams.([]any)
	for _, v := range list {
		stream, _ := v.(map[string]any)
		if codec, _ := stream["codec"].(string); codec != "" && !slices.Contains(codecs, codec) {
			codecs = append(codecs, codec)
		}
	}
	return codecs
}

func number(v any) float64 {
	switch v := v.(type) {
	case int:
		return float64(v)
	case float64:
		return v
	}
	return 0
}

// short prints a number with two decimals at most.
func short(f float64) string {
	return strings.TrimSuffix(strings.TrimRight(strconv.FormatFloat(f, 'f', 2, 64), "0"), ".")
}
