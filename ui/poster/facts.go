package poster

import (
	"slices"
	"strconv"
	"strings"

	"github.com/svcflow/svc/engine/value/view"
)

// factsOf formats the result of media.probe in one line.
func factsOf(known map[string]any) string {
	var parts []string
	if ms := view.Number(known["duration_ms"]); ms > 0 {
		parts = append(parts, view.Lasting(ms/1000))
	}
	if w, h := view.Number(known["width"]), view.Number(known["height"]); w > 0 && h > 0 {
		parts = append(parts, short(w)+" × "+short(h))
	}
	if fps := view.Number(known["fps"]); fps > 0 {
		parts = append(parts, short(fps)+" fps")
	}
	if codecs := codecsOf(known["streams"]); len(codecs) > 0 {
		parts = append(parts, strings.Join(codecs, ", "))
	}
	if bytes := view.Number(known["size_bytes"]); bytes > 0 {
		parts = append(parts, view.Bytes(int(bytes)))
	}
	return strings.Join(parts, " · ")
}

// codecsOf returns the codecs of streams, without duplicates.
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

// short prints a number with up to two decimals.
func short(f float64) string {
	return strings.TrimSuffix(strings.TrimRight(strconv.FormatFloat(f, 'f', 2, 64), "0"), ".")
}
