package data

import (
	"context"
	"errors"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/apart"
	"github.com/svcflow/svc/nodes/data/pdf"
)

type pdfTextIn struct {
	Path  string  `port:"path" widget:"file" doc:"The PDF file, below the files folder on a server."`
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
	n := node.Func("data.pdf_text", "Read PDF", func(ctx context.Context, in pdfTextIn) (pdfTextOut, error) {
		return d.pdfText(ctx, documents, in)
	}).
		Aliases("pdf, document, extract text, read pdf, invoice", "pdf, dokument, text auslesen, pdf lesen, rechnung").
		Example(map[string]any{"path": "letter.pdf"}).Timeout(pdfTimeout).Doc(
		"Reads the text of a PDF file: of a letter of two pages, `pages` are two texts and `count` is 2. Lines end where they do on the page, and the text comes in the order " +
			"in which the page draws it, which is that of reading for most files. Pages that are pictures, such as scans, have none.\n\n" +
			"Fails with `invalid_input` if the file is damaged, which tells the page, or can be opened with a password only; with `limit_exceeded` past 10,000 pages or 64 MiB; " +
			"with `reader_ended` if it wants more memory or depth than there is. It is read in a process apart, which has nothing but the file.")
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
	file, err := d.bytes(ctx, in.Path)
	if err != nil {
		return out, err
	}
	text, err := pdf.Read(ctx, documents.pool, file, ranges, nil)
	if failure, ok := errors.AsType[*pdf.Failure](err); ok {
		if failure.TooMuch {
			return out, tooMuch("the document %q: %s", cut(in.Path), failure)
		}
		return out, wrong("the document %q cannot be read: %s", cut(in.Path), failure)
	}
	if gone, ok := errors.AsType[apart.Gone](err); ok && ctx.Err() == nil {
		return out, node.Permanent(node.Errorf(codeReaderEnded,
			"the process that read the document %q died (%s); mostly it wants more memory or depth than there is. Another one takes its place", cut(in.Path), gone.How))
	}
	if err != nil {
		return out, err
	}
	out = pdfTextOut{Pages: text.Pages, Count: text.Count, Title: text.Title, Text: strings.Join(text.Pages, "\n\n")}
	return out, node.Hold(ctx, 2*len(out.Text))
}

// bytes reads a whole file into memory.
func (d disk) bytes(ctx context.Context, path string) ([]byte, error) {
	file, size, err := d.openFile(path)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // opened for reading only
	if size > maxText {
		return nil, tooMuch("the document has %d bytes; at most %d can be read", size, maxText)
	}
	if err := node.Hold(ctx, 2*int(size)); err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(file, maxText))
	if err != nil {
		return nil, readFailure(err)
	}
	return data, nil
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
			return nil, wrong("pages %q are none such as 1-3,7 or 5-", cut(*text))
		}
		if ranges = append(ranges, r); len(ranges) > limit.Pages {
			return nil, tooMuch("there are more than %d ranges of pages", limit.Pages)
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
