package exec

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// The default and the highest limit of a command's output, in bytes.
const (
	usualBytes   = 1 << 20
	highestBytes = 64 << 20
)

// afterKill is how long the pipes of a killed command may stay open.
const afterKill = time.Second

// Codes in addition to the engine's.
const codeNotFound = "not_found"

type runIn struct {
	Command  string         `port:"command,literal" doc:"The command, exactly as the operator has allowed it."`
	Args     []string       `port:"args,optional" doc:"What it is called with; each is handed on as it is."`
	Stdin    *string        `port:"stdin,optional" widget:"multiline" doc:"What it reads; nothing by default."`
	Env      map[string]any `port:"env,optional" doc:"Variables that it sees besides PATH, HOME and the language."`
	Dir      string         `port:"dir" default:"." doc:"The folder it runs in, as the file nodes know it."`
	MaxBytes int            `port:"maxBytes" default:"1048576" doc:"How many bytes it may print to each of its outputs, up to 67108864."`
}

type runOut struct {
	Stdout   string `port:"stdout" doc:"What it printed. Bytes that are no text become �."`
	Stderr   string `port:"stderr" doc:"What it printed to standard error."`
	ExitCode int    `port:"exitCode" doc:"Its exit status; -1 if a signal ended it."`
	OK       bool   `port:"ok" doc:"Whether the exit status is 0."`
}

func runNode(c Config) node.Node {
	return node.Func("exec.run", "Run command", c.run).Once().
		Aliases("shell, command line, program, execute, process, terminal", "befehl, kommandozeile, programm ausführen, prozess").
		Example(map[string]any{"command": "git", "args": []any{"log", "-1", "--format=%s"}}).Doc(
		"Runs a command of this machine and waits until it ends. Only the commands that the operator names can be run (`--exec-allow git,rsync`); none by default, also on your own machine.\n\n" +
			"With `command` = `git` and `args` = `[\"log\",\"-1\",\"--format=%s\"]`, `stdout` is the subject of the last commit.\n\n" +
			"There is no shell: nothing in `args` is expanded or split. An exit status other than 0 is no failure: `ok` is false. " +
			"The command sees PATH, HOME, USER, TMPDIR, the language and what is in `env`, and not the variables of the server. " +
			"When the node is cancelled or its time is up, the command is killed with everything that it has begun.\n\n" +
			"Fails with `forbidden` for any other command, `not_found` if it is not installed, and `limit_exceeded` if it prints more than `maxBytes`.")
}

func (c Config) run(ctx context.Context, in runIn) (out runOut, err error) {
	if !slices.Contains(c.Commands, in.Command) {
		return out, node.Errorf(node.CodeForbidden, "the command %q may not be run here; the operator allows commands with --exec-allow", value.Shorten(in.Command, 100))
	}
	if in.MaxBytes < 0 || in.MaxBytes > highestBytes {
		return out, node.Errorf(node.CodeInvalidInput, "maxBytes is a number from 0 to %d", highestBytes)
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	cmd := exec.CommandContext(ctx, in.Command, in.Args...)
	if cmd.Env, err = c.environment(in.Env); err != nil {
		return out, err
	}
	dir, err := c.enter(cmd, in.Dir)
	if err != nil {
		return out, err
	}
	defer dir.Close() //nolint:errcheck // opened for reading only
	if in.Stdin != nil {
		cmd.Stdin = strings.NewReader(*in.Stdin)
	}
	full := func() { stop(errFull) }
	stdout, stderr := &bounded{room: in.MaxBytes, full: full}, &bounded{room: in.MaxBytes, full: full}
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = stdout, stderr, afterKill
	together(cmd)
	err = cmd.Run()
	killAll(cmd)
	switch {
	case errors.Is(context.Cause(ctx), errFull):
		return out, node.Permanent(node.Errorf(node.CodeLimitExceeded, "%s printed more than the %d bytes of maxBytes, and was killed", in.Command, in.MaxBytes))
	case ctx.Err() != nil:
		return out, ctx.Err()
	case cmd.ProcessState == nil:
		return out, notStarted(in.Command, err)
	}
	out = runOut{Stdout: stdout.text(), Stderr: stderr.text(), ExitCode: cmd.ProcessState.ExitCode(), OK: cmd.ProcessState.Success()}
	return out, nil
}

// errFull is the cause that ends a command whose output exceeds the limit.
var errFull = errors.New("too much output")

func notStarted(command string, err error) error {
	switch {
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		return node.Permanent(node.Errorf(codeNotFound, "the command %s is not installed here", command))
	case errors.Is(err, syscall.E2BIG):
		return node.Permanent(node.Errorf(node.CodeLimitExceeded, "the arguments of %s are too long; hand them in by stdin", command))
	case errors.Is(err, fs.ErrPermission):
		return node.Errorf(node.CodeForbidden, "the command %s cannot be run by the user that Svc runs as", command)
	}
	return node.Errorf(node.CodeFailed, "the command %s could not be started", command)
}

// enter sets the working folder of the command. The caller closes the returned folder.
func (c Config) enter(cmd *exec.Cmd, name string) (*os.File, error) {
	if c.Files == nil {
		return nil, node.Errorf(node.CodeForbidden, "workflows have no folder here")
	}
	if name == "." || name == "" {
		name = "."
		if err := c.Files.MkdirAll(name, 0o755); err != nil {
			return nil, err
		}
	}
	dir, err := c.Files.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, node.Permanent(node.Errorf(codeNotFound, "the folder %q does not exist", name))
	case err != nil:
		return nil, err
	}
	if info, err := dir.Stat(); err != nil || !info.IsDir() {
		_ = dir.Close() // opened for reading only
		return nil, node.Errorf(node.CodeInvalidInput, "%q is no folder", name)
	}
	cmd.Dir = place(dir)
	return dir, nil
}

// environment returns the command's environment. It leaves out most of the server's
// variables, because they contain secrets.
func (c Config) environment(more map[string]any) ([]string, error) {
	env := []string{}
	for _, name := range []string{"PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "TZ", "TMPDIR", "SYSTEMROOT"} {
		if v := c.Getenv(name); v != "" {
			env = append(env, name+"="+v)
		}
	}
	for name, v := range more {
		text, isText := v.(string)
		switch {
		case !isText:
			return nil, node.Errorf(node.CodeInvalidInput, "the variable %s is %s; variables are texts", name, value.KindOf(v))
		case name == "" || strings.ContainsAny(name, "=\x00") || strings.Contains(text, "\x00"):
			return nil, node.Errorf(node.CodeInvalidInput, "%q cannot be a variable", name)
		case name == "PATH" || strings.HasPrefix(name, "LD_") || strings.HasPrefix(name, "DYLD_"):
			return nil, node.Errorf(node.CodeForbidden, "the variable %s would let another program run", name)
		}
		env = append(env, name+"="+text)
	}
	return env, nil
}

// bounded collects output up to a limit, and calls full when the limit is exceeded.
type bounded struct {
	room int
	full func()
	kept strings.Builder
}

// Write implements io.Writer.
func (b *bounded) Write(p []byte) (int, error) {
	if b.kept.Len()+len(p) > b.room {
		b.full()
		return 0, errFull
	}
	return b.kept.Write(p)
}

func (b *bounded) text() string { return strings.ToValidUTF8(b.kept.String(), "\ufffd") }
