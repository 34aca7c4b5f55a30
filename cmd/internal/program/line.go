package program

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"
)

// The exit statuses of failed programs.
const (
	ExitFailed      = 1
	ExitInvalid     = 2
	ExitInterrupted = 130
)

// Line is the command line of a program.
type Line struct {
	// Name and Description begin the help text.
	Name, Description string
	// Vars are the values for ${…} in help texts.
	Vars           kong.Vars
	Stdout, Stderr io.Writer
	Env            func(name string) (string, bool)
}

// Parser returns the parser of a grammar. The second result reports whether it has printed help
// or a version, after which the program should end. Methods of the grammar get ctx and binds.
func (l *Line) Parser(ctx context.Context, grammar any, binds ...any) (parser *kong.Kong, helped *bool, err error) {
	helped = new(bool)
	parser, err = kong.New(grammar, kong.Name(l.Name), kong.Description(l.Description), kong.Writers(l.Stdout, l.Stderr),
		kong.Exit(func(int) { *helped = true }), l.Vars, kong.Resolvers(Variables(l.Env)), kong.ValueFormatter(explain),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}),
		kong.BindTo(ctx, (*context.Context)(nil)), kong.Bind(binds...))
	return parser, helped, err
}

// Obey parses args, calls the method of the command in the grammar, and returns the exit status.
// It prints an error on one line.
func (l *Line) Obey(ctx context.Context, args []string, grammar any, binds ...any) int {
	parser, helped, err := l.Parser(ctx, grammar, binds...)
	if err != nil {
		return l.report(ctx, err) // a mistake in the grammar, which every test would show
	}
	command, err := parser.Parse(args)
	switch {
	case *helped:
		return 0
	case err != nil:
		return l.report(ctx, UsageError{Err: Hinted(l.Name, err)})
	}
	return l.report(ctx, command.Run())
}

// report prints an error on one line and returns the exit status.
func (l *Line) report(ctx context.Context, err error) int {
	switch {
	case err == nil:
		return 0
	case errors.As(err, new(Told)):
		return ExitFailed
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		l.sayf("interrupted")
		return ExitInterrupted
	}
	l.sayf("%s", strings.TrimSpace(Inert(strings.ReplaceAll(strings.TrimSpace(err.Error()), "\n", "; "))))
	if errors.As(err, new(UsageError)) {
		return ExitInvalid
	}
	return ExitFailed
}

// sayf prints a line to standard error.
func (l *Line) sayf(format string, args ...any) {
	fmt.Fprintf(l.Stderr, l.Name+": "+format+"\n", args...) //nolint:errcheck // there is nowhere left to say so
}

// Told is an error that ends the program as failed. The reason has been printed already.
type Told struct{}

// Error implements error.
func (Told) Error() string { return "it has told what is wrong" }

// Hinted adds to a parse error which command prints help.
func Hinted(name string, err error) error {
	help := name + " --help"
	var parse *kong.ParseError
	if errors.As(err, &parse) && parse.Context != nil {
		if c := parse.Context.Selected(); c != nil {
			help = c.FullPath() + " --help"
		}
	}
	return fmt.Errorf("%w; see `%s`", err, help)
}

// explain returns the help text of a flag, with its default and its environment variable.
func explain(v *kong.Value) string {
	text := v.Help
	if v.Default != "" && v.Default != "." {
		text += " Default " + v.Default + "."
	}
	if name := v.Tag.Get("variable"); name != "" {
		text = strings.TrimSuffix(text, ".") + " ($" + name + ")."
	}
	return text
}
