package palette

import (
	"slices"
	"strings"

	"fyne.io/fyne/v2/lang"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/kit"
)

// row is one line of the palette: a heading, or a type.
type row struct {
	heading string
	spec    *node.Spec // nil for a heading
	matched []int
	detail  string // the category, where no heading has it
}

// height returns the height of a row in dp.
func (r *row) height(first bool) float32 {
	if r.spec == nil {
		return kit.HeadingHeight(first)
	}
	return kit.RowHeight
}

func (r *row) tip() string {
	if r.spec == nil {
		return ""
	}
	return summary(r.spec)
}

// rowsOf returns the matches of a query, best first, or all types by category if it is empty:
// the last used ones, then those of services, then the others.
func rowsOf(specs *doc.Specs, query string, recent []string) (rows []row) {
	if specs == nil {
		return nil
	}
	if strings.TrimSpace(query) != "" {
		for _, c := range specs.Search(query) {
			rows = append(rows, row{spec: c.Spec, matched: c.Matched, detail: c.Spec.Category})
		}
		return rows
	}
	for _, typ := range recent {
		if spec, ok := specs.Lookup(typ); ok {
			rows = append(rows, row{spec: spec})
		}
	}
	if len(rows) > 0 {
		rows = slices.Insert(rows, 0, row{heading: lang.L("Used last")})
	}
	for _, c := range categories(specs) {
		rows = append(rows, row{heading: c[0].Category})
		for _, spec := range c {
			rows = append(rows, row{spec: spec})
		}
	}
	return rows
}

// categories returns the types by category, those with services first, types sorted by label.
func categories(specs *doc.Specs) [][]*node.Spec {
	var all [][]*node.Spec
	for _, spec := range specs.All() { // by category
		if n := len(all); n == 0 || all[n-1][0].Category != spec.Category {
			all = append(all, nil)
		}
		all[len(all)-1] = append(all[len(all)-1], spec)
	}
	for _, c := range all {
		slices.SortStableFunc(c, func(a, b *node.Spec) int { return strings.Compare(a.Label, b.Label) })
	}
	slices.SortStableFunc(all, func(a, b []*node.Spec) int { return services(a) - services(b) })
	return all
}

// services returns the rank of a category: 0 if it has service nodes, else 1.
func services(c []*node.Spec) int {
	if slices.ContainsFunc(c, circle) {
		return 0
	}
	return 1
}

// circle reports whether nodes of a type are drawn as circles, as services are.
func circle(spec *node.Spec) bool { return spec.Card.Shape == "circle" }

// summary returns the first sentence of a description, without Markdown.
func summary(spec *node.Spec) string {
	text, _ := doc.FirstSentence(spec.Description)
	return strings.NewReplacer("`", "", "**", "", "\n", " ").Replace(text)
}
