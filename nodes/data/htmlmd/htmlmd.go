// Package htmlmd converts HTML to Markdown as GitHub reads it.
//
// The conversion is html-to-markdown's. This package prepares the page for it: cells of
// tables get one line each, and code blocks a language; and it renders what the library
// loses: pipes in code inside of tables, and anchors.
package htmlmd

import (
	"context"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/strikethrough"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/svcflow/svc/nodes/data/page"
)

// Convert returns a page as Markdown. It changes the page.
func Convert(ctx context.Context, root *html.Node) (string, error) {
	targets := prepare(root)
	c := converter.NewConverter(converter.WithPlugins(
		base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(), strikethrough.NewStrikethroughPlugin(),
		table.NewTablePlugin(table.WithNewlineBehavior(table.NewlineBehaviorPreserve), table.WithHeaderPromotion(true)),
	))
	for _, name := range []string{"summary", "details", "figcaption", "option", "legend", "caption", "center", "search", "menu", "dialog"} {
		c.Register.TagType(name, converter.TagTypeBlock, converter.PriorityStandard)
	}
	c.Register.TagType("template", converter.TagTypeRemove, converter.PriorityStandard)
	c.Register.RendererFor("a", converter.TagTypeInline, anchors(targets), converter.PriorityEarly)
	c.Register.RendererFor("br", converter.TagTypeInline, breakInCell, converter.PriorityEarly)
	c.Register.RendererFor("code", converter.TagTypeInline, codeInCell, converter.PriorityEarly)
	text, err := c.ConvertNode(root, converter.WithContext(ctx))
	return strings.ToValidUTF8(string(text), "\uFFFD"), err
}

// anchors renders elements a without an address. Those that links of the page lead to stay
// as HTML, which Markdown allows.
func anchors(targets map[string]bool) converter.HandleRenderFunc {
	return func(ctx converter.Context, w converter.Writer, n *html.Node) converter.RenderStatus {
		if _, isLink := page.Attribute(n, "href"); isLink {
			return converter.RenderTryNext
		}
		for _, key := range []string{"id", "name"} {
			if name, _ := page.Attribute(n, key); targets[name] {
				_, _ = w.WriteString(`<a id="` + html.EscapeString(name) + `"></a>`) // a buffer has no errors
				break
			}
		}
		ctx.RenderChildNodes(ctx, w, n)
		return converter.RenderSuccess
	}
}

func inCell(n *html.Node) bool {
	for p := n.Parent; p != nil; p = p.Parent {
		if p.DataAtom == atom.Td || p.DataAtom == atom.Th {
			return true
		}
	}
	return false
}

func breakInCell(_ converter.Context, w converter.Writer, n *html.Node) converter.RenderStatus {
	if !isFlat(n) {
		return converter.RenderTryNext
	}
	_, _ = w.WriteString("<br>") // a buffer has no errors
	return converter.RenderSuccess
}

// codeInCell renders code in a table: a pipe ends the cell also in code.
func codeInCell(_ converter.Context, w converter.Writer, n *html.Node) converter.RenderStatus {
	if !inCell(n) || n.Parent.DataAtom == atom.Pre {
		return converter.RenderTryNext
	}
	code := strings.Join(strings.Fields(page.Text(n)), " ")
	if !strings.Contains(code, "|") {
		return converter.RenderTryNext
	}
	fence := "`"
	for strings.Contains(code, fence) {
		fence += "`"
	}
	pad := ""
	if len(fence) > 1 {
		pad = " "
	}
	_, _ = w.WriteString(fence + pad + strings.ReplaceAll(code, "|", `\|`) + pad + fence)
	return converter.RenderSuccess
}
