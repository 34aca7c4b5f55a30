package kit

import "github.com/svcflow/svc/ui/theme"

// Mono is the least size of monospaced text, in dp; see [theme.Text].
const Mono = theme.Text
