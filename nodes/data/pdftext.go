package data

import (
	"context"
	"errors"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/apart"
	"github.com/svcflow/svc/nodes/data/pdf"
	"github.com/svcflow/svc/nodes/reading"
)

type pdfTextIn struct {
	reading.Binary
	Pages *string `port:"pages,optional" doc:"Which pages to read, for example 1-3,7 or 5-; all if it is not given."`
}

type pdfTextOut struct {
	Text  string   `port:"text" doc:"The text of all pages that were read, with an empty line between two of them."`
	Pages []string `port:"pages" doc:"The text of each of them."`
	Count int      `port:"count" doc:"How many pages the document has."`
	Title *string  `port:"title" doc:"What the document says that it is called."`
}

// pdfTimeout is the timeout for one document. Documents that take longer usually never
// finish.
const pdfTimeout = time.Minute

// codeReaderEnded means that the child process that reads documents died.
const codeReaderEnded = "reader_ended"

// documents reads untrusted documents in child processes; nil reads none.
type documents struct{ pool *apart.Pool }

func (d disk) pdfTextNode(documents documents) node.Node {
	n := reading.Node(node.Func("data.pdf_text", "Read PDF", func(ctx context.Context, in pdfTextIn) (pdfTextOut, error) {
		return d.pdfText(ctx, documents, in)
	}).
		Aliases("pdf, document, extract text, read pdf, invoice", "pdf, dokument, text auslesen, pdf lesen, rechnung").
		Example(map[string]any{"path": "letter.pdf"}).Timeout(pdfTimeout).Doc(
		"Reads the text of a PDF file, given as `path` or `base64`: of a letter of two pages, `pages` are two texts and `count` is 2.\n\n"+
			"The text is that of `pdftotext` without options. Columns are read one after the other, lines end where they do on the page, and a word "+
			"that is hyphenated at the end of a line is joined. Ligatures become letters. Hidden layers are left out; the values of form fields are read.\n\n"+
			"A file that is damaged is repaired if its objects can be found. `warnings` names what was repaired, pages without text, which are mostly scans, "+
			"and characters that the fonts do not name. Dropped are pages that are damaged or missing, and pages whose fonts do not name most characters: "+
			"they fail the node unless `warnings` is wired or `strict` is false, and have the text that could be read.\n\n"+
			"Encrypted files are read if they open without a password. "+
			"Fails with `invalid_input` if the file is no PDF or needs a password; with `limit_exceeded` past 10,000 pages or 64 MiB; "+
			"with `reader_ended` if it wants more memory or depth than there is. It is read in a separate process, which has nothing but the file. "+
			"To use `pdftotext` itself, such as with `-layout`, allow it to `exec.run`."), "path", "base64")
	if documents.pool == nil {
		n.Spec.Unavailable = "This program has no process apart to read documents in."
	}
	return n
}

func (d disk) pdfText(ctx context.Context, documents documents, in pdfTextIn) (out pdfTextOut, err error) {
	if documents.pool == nil {
		return out, node.Errorf(node.CodeUnavailable, "documents cannot be read here: this program has no process apart to read them in")
	}
	ranges, err := pageRanges(in.Pages)
	if err != nil {
		return out, err
	}
	file, err := in.Whole(ctx, d.Files, 1)
	if err != nil {
		return out, err
	}
	name := "given as base64"
	if in.Path != nil {
		name = strconv.Quote(reading.Cut(*in.Path))
	}
	text, err := pdf.Read(ctx, documents.pool, file, ranges, reading.NotesOf(ctx))
	if failure, ok := errors.AsType[*pdf.Failure](err); ok {
		if failure.TooMuch {
			return out, reading.TooMuch("the document %s: %s", name, failure)
		}
		return out, reading.Invalid("the document %s cannot be read: %s", name, failure)
	}
	if gone, ok := errors.AsType[apart.Gone](err); ok && ctx.Err() == nil {
		return out, node.Permanent(node.Errorf(codeReaderEnded,
			"the process that read the document %s died (%s); mostly it wants more memory or depth than there is. Another one takes its place", name, gone.How))
	}
	if err != nil {
		return out, err
	}
	out = pdfTextOut{Pages: text.Pages, Count: text.Count, Title: text.Title, Text: strings.Join(text.Pages, "\n\n")}
	return out, node.Hold(ctx, 2*len(out.Text))
}

// pageRanges parses the input that lists the pages; nil means all.
func pageRanges(text *string) (ranges []pdf.Range, err error) {
	if text == nil {
		return []pdf.Range{{First: 1}}, nil
	}
	for part := range strings.SplitSeq(*text, ",") {
		first, last, isRange := strings.Cut(strings.TrimSpace(part), "-")
		r := pdf.Range{}
		if r.First, err = strconv.Atoi(strings.TrimSpace(first)); err == nil && isRange && strings.TrimSpace(last) != "" {
			r.Last, err = strconv.Atoi(strings.TrimSpace(last))
		} else if !isRange {
			r.Last = r.First
		}
		open := isRange && strings.TrimSpace(last) == ""
		if err != nil || r.First < 1 || !open && r.Last < r.First || r.Last > limit.Pages {
			return nil, reading.Invalid("pages %q are none such as 1-3,7 or 5-", reading.Cut(*text))
		}
		if ranges = append(ranges, r); len(ranges) > limit.Pages {
			return nil, reading.TooMuch("there are more than %d ranges of pages", limit.Pages)
		}
	}
	return ranges, nil
}

// Close ends the remaining child processes.
func (p *Plugin) Close() error {
	if p.documents.pool == nil {
		return nil
	}
	return p.documents.pool.Close()
}

func newDocuments(command func() *exec.Cmd) documents {
	if command == nil {
		return documents{}
	}
	return documents{apart.New(command)}
}
