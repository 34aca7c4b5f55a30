package limit_test

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/svcflow/svc/engine/enginetest/golden"
	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/value"
)

var update = flag.Bool("update", false, "write docs/limits.md anew")

// TestManual holds the page of the book to the table.
func TestManual(t *testing.T) {
	const page = "../../docs/limits.md"
	var b strings.Builder
	b.WriteString(`# Limits

What holds everywhere. What a single node type may take is in [its description](nodes.md); what an operator may set is in [Operate](operate.md).
This page is made from the program: ` + "`go test ./engine/limit -update`" + `.

| what | at most | past it |
|---|---|---|
`)
	rows := append(limit.Table(),
		limit.Limit{What: "the values in a request, in memory", Most: value.MaxRead, Bytes: true, Past: "`too_large` (413)"},
		limit.Limit{What: "a value, as it prints", Most: value.MaxSize, Bytes: true, Past: "`limit_exceeded`"},
		limit.Limit{What: "lists and records within each other", Most: value.MaxDepth, Past: "`limit_exceeded`; `malformed` (400) in what is posted"})
	for _, l := range rows {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", l.What, most(l), l.Past)
	}
	golden.Equal(t, page, []byte(b.String()), *update)
}

func most(l limit.Limit) string {
	switch {
	case l.Bytes && l.Most%(1<<30) == 0:
		return fmt.Sprintf("%d GiB", l.Most>>30)
	case l.Bytes && l.Most%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", l.Most>>20)
	case l.Bytes:
		return fmt.Sprintf("%d KiB", l.Most>>10)
	case l.Most >= 10_000:
		return message.NewPrinter(language.English).Sprintf("%d", l.Most)
	}
	return fmt.Sprint(l.Most)
}
