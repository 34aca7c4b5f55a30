package view

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/svcflow/svc/engine/value"
)

// mostSteps is the maximum number of steps of a recipe that are named.
const mostSteps = 12

// mediaOf returns the view of media: the path or address of its file or, if it is not made
// yet, a description of the result and the steps. It never shows the recipe itself.
func mediaOf(v any) (View, bool) {
	m, ok := v.(value.Media)
	if record, isRecord := v.(map[string]any); isRecord && len(record) == 3 {
		if _, typed := record["mime"].(string); typed {
			conformed, err := value.Conform(record, value.MediaType())
			m, ok = conformed.(value.Media)
			ok = ok && err == nil
		}
	}
	if !ok {
		return View{}, false
	}
	d := View{Kind: Media, Media: m, Text: m.Path + m.URL}
	if m.Recipe != "" {
		d.Media.Recipe, d.Text = "", Steps(m)
	}
	return cut(d), true
}

// Steps describes media that is not made yet, and how to make it: "16 s · 640 × 480 · trim
// → crop → resize". It leaves out unknown parts of the recipe.
func Steps(m value.Media) string {
	v, _ := value.Decode([]byte(m.Recipe))
	recipe, _ := v.(map[string]any)
	facts, _ := recipe["facts"].(map[string]any)
	var parts []string
	if d := Number(facts["duration"]); d > 0 {
		parts = append(parts, Lasting(d))
	}
	if w, h := Number(facts["width"]), Number(facts["height"]); w > 0 && h > 0 {
		parts = append(parts, rounded(w)+" × "+rounded(h))
	}
	if steps := stepsOf(recipe["steps"]); len(steps) > 0 {
		parts = append(parts, strings.Join(steps, " → "))
	}
	if len(parts) == 0 {
		return m.Kind
	}
	return strings.Join(parts, " · ")
}

func stepsOf(v any) []string {
	list, _ := v.([]any)
	var names []string
	for _, v := range list {
		step, _ := v.(map[string]any)
		if op, _ := step["op"].(string); op != "" {
			names = append(names, op)
		}
	}
	if len(names) > mostSteps {
		names = append(slices.Clone(names[:mostSteps]), "…")
	}
	return names
}

// Number returns a number from JSON or from a node as a float64, or 0 if v is not a number.
func Number(v any) float64 {
	switch v := v.(type) {
	case int:
		return float64(v)
	case float64:
		return v
	}
	return 0
}

// Lasting formats a duration in seconds for people: "2.5 s", "1 min 5 s".
func Lasting(seconds float64) string {
	const minute = 60
	if seconds < minute {
		return rounded(math.Floor(seconds*10+0.5)/10) + " s"
	}
	whole := int64(math.Floor(min(seconds, 1e12) + 0.5))
	return strconv.FormatInt(whole/minute, 10) + " min " + strconv.FormatInt(whole%minute, 10) + " s"
}

func rounded(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
