//go:build e2e && linux

package e2e_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCompletion types a command with the key Tab in each shell, in a terminal.
func TestCompletion(t *testing.T) {
	m := newMachine(t)
	m.run("svc templates greeting > greeting.json && svc workflows save greeting.json && rm greeting.json")
	m.write(".zshrc", "PS1='% '\nautoload -U compinit && compinit -u\nsource <(svc completion zsh)\n")
	// Without the second folder, fish reads all manuals at its first start, and writes on when the test has ended.
	m.run("mkdir -p .config/fish/completions .local/share/fish/generated_completions && svc completion fish > .config/fish/completions/svc.fish")
	m.write(".bashrc", "source <(svc completion bash)\n")
	const typed = "svc workf\tsh\tgr\t> shown.json\nsvc run template:gre\t --inp\t who=Ada --out\tj\t> ran.json\nexit\n"
	for shell, line := range map[string]string{
		"bash": "bash --rcfile .bashrc -i",
		"zsh":  "zsh -i",
		"fish": "fish -i",
	} {
		t.Run(shell, func(t *testing.T) {
			m.run("rm -f shown.json ran.json; type " + shell)
			screen := m.terminal(line, typed)
			require.Contains(t, m.run("cat shown.json"), `"id": "greeting"`, screen)
			require.Contains(t, m.run("cat ran.json"), `"greeting": "Hello, Ada!"`, screen)
		})
	}
}
