package command_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/ui/command"
)

func TestRebindingIsStored(t *testing.T) {
	kept := &memory{}
	b, _ := newBench(t, kept)
	rebound := 0
	b.OnRebind = func() { rebound++ }
	require.NoError(t, b.Rebind("save", command.MustParse("Ctrl+Shift+S")))
	require.NoError(t, b.Rebind("quit", command.Shortcut{}))
	require.Equal(t, 2, rebound)
	require.Equal(t, map[string]string{"save": "Ctrl+Shift+S", "quit": ""}, kept.chosen)

	for name, set := range map[string]*fixture{"now": b, "after a restart": restarted(t, kept)} {
		set.ran = nil
		for _, k := range []string{"Ctrl+S", "Ctrl+Q", "Ctrl+Shift+S"} {
			set.press(k)
		}
		require.Equal(t, []string{"save"}, set.ran, name)
		require.True(t, set.Changed("save"), name)
		require.False(t, set.Changed("new"), name)
		require.Nil(t, set.item(t, "File", "Quit").Shortcut, name)
	}
}

func TestRebindingMovesTheKeysOfTheWindow(t *testing.T) {
	b, _ := newBench(t, nil)
	require.NoError(t, b.Rebind("secret", command.MustParse("Ctrl+K"))) // is in no menu
	b.press("Ctrl+K")
	require.Equal(t, []string{"secret"}, b.ran)
	require.NoError(t, b.Reset("secret"))
	b.press("Ctrl+K")
	require.Len(t, b.ran, 1)
}

func restarted(t *testing.T, kept *memory) *fixture {
	t.Helper()
	b, _ := newBench(t, kept)
	return b
}

func TestKeysOfAnotherCommandAreRefused(t *testing.T) {
	kept := &memory{}
	b, _ := newBench(t, kept)
	for keys, owner := range map[string]string{"Ctrl+N": "new", "Ctrl+Shift+Z": "redo"} {
		err := b.Rebind("save", command.MustParse(keys))
		var taken *command.TakenError
		require.ErrorAs(t, err, &taken)
		require.Equal(t, owner, taken.By.ID)
		require.Equal(t, keys, taken.Shortcut.String())
	}
	require.ErrorIs(t, b.Rebind("save", command.MustParse("Tab")), command.ErrFixed)
	require.ErrorIs(t, b.Rebind("save", command.MustParse("Ctrl+Left")), command.ErrFixed)
	require.Error(t, b.Rebind("nothing", command.MustParse("Ctrl+K")))
	require.Equal(t, "Ctrl+S", b.Keys("save").String())
	require.Empty(t, kept.chosen)
}

func TestReset(t *testing.T) {
	kept := &memory{}
	b, _ := newBench(t, kept)
	require.NoError(t, b.Rebind("save", command.MustParse("Ctrl+K")))
	require.NoError(t, b.Rebind("new", command.MustParse("Ctrl+S")))
	var taken *command.TakenError
	require.ErrorAs(t, b.Reset("save"), &taken)
	require.NoError(t, b.Reset("new"))
	require.NoError(t, b.Rebind("save", command.MustParse("Ctrl+S")), "the default again")
	require.Empty(t, kept.chosen)

	require.NoError(t, b.Rebind("save", command.MustParse("Ctrl+K")))
	b.ResetAll()
	require.Empty(t, kept.chosen)
	require.Equal(t, "Ctrl+S", b.Keys("save").String())
	require.Error(t, b.Reset("nothing"))
}

func TestBadStoredShortcutsAreIgnored(t *testing.T) {
	kept := &memory{map[string]string{
		"save":    "Ctrl+Banana", // cannot be read
		"new":     "Ctrl+Q",      // the default of another, now
		"undo":    "F5",
		"copy":    "f5",     // the same twice
		"grid":    "Tab",    // belongs to others
		"unknown": "Ctrl+U", // of another version
	}}
	b, _ := newBench(t, kept)
	for id, want := range map[string]string{
		"save": "Ctrl+S", "new": "Ctrl+Q", "quit": "", "undo": "F5", "copy": "Ctrl+C", "grid": "G",
	} {
		require.Equal(t, want, b.Keys(id).String(), id)
	}
	require.NoError(t, b.Rebind("back", command.MustParse("Ctrl+B")))
	require.Equal(t, "Ctrl+U", kept.chosen["unknown"])
}
