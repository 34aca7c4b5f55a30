package kit_test

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/ui/kit"
)

func TestFunctionKeysReachTheWindowFromAField(t *testing.T) {
	test.NewTempApp(t)
	field := kit.NewSearch("", kit.NewList(kit.Rows{Len: func() int { return 0 }}), func(string) {})
	window := test.NewTempWindow(t, field)
	field.TypedKey(&fyne.KeyEvent{Name: fyne.KeyF8}) // without a handler
	var told []fyne.KeyName
	window.Canvas().SetOnTypedKey(func(e *fyne.KeyEvent) { told = append(told, e.Name) })
	for _, name := range []fyne.KeyName{fyne.KeyF8, fyne.KeyF, fyne.KeyHome, fyne.KeyF12} {
		field.TypedKey(&fyne.KeyEvent{Name: name})
	}
	require.Equal(t, []fyne.KeyName{fyne.KeyF8, fyne.KeyF12}, told)
}
