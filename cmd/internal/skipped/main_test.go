package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const run = `{"Action":"start","Package":"github.com/svcflow/svc/a"}
{"Action":"run","Package":"github.com/svcflow/svc/a","Test":"TestWell"}
{"Action":"output","Package":"github.com/svcflow/svc/a","Test":"TestWell","Output":"chatter\n"}
{"Action":"pass","Package":"github.com/svcflow/svc/a","Test":"TestWell"}
{"Action":"output","Package":"github.com/svcflow/svc/a","Test":"TestSuite","Output":"    suites.go:61: make conformance\n"}
{"Action":"output","Package":"github.com/svcflow/svc/a","Test":"TestSuite","Output":"--- SKIP: TestSuite (0.00s)\n"}
{"Action":"skip","Package":"github.com/svcflow/svc/a","Test":"TestSuite"}
{"Action":"output","Package":"github.com/svcflow/svc/a","Output":"PASS\n"}
{"Action":"output","Package":"github.com/svcflow/svc/a","Output":"ok  \tgithub.com/svcflow/svc/a\t0.1s\n"}
{"Action":"pass","Package":"github.com/svcflow/svc/a"}
{"Action":"output","Package":"github.com/svcflow/svc/b","Test":"TestBad","Output":"    b_test.go:3: it is broken\n"}
{"Action":"fail","Package":"github.com/svcflow/svc/b","Test":"TestBad"}
{"Action":"output","Package":"github.com/svcflow/svc/b","Test":"TestHangs","Output":"panic: test timed out\n"}
{"Action":"output","Package":"github.com/svcflow/svc/b","Output":"FAIL\tgithub.com/svcflow/svc/b\t0.1s\n"}
{"Action":"fail","Package":"github.com/svcflow/svc/b"}
{"Action":"output","Package":"github.com/svcflow/svc/c","Output":"?   \tgithub.com/svcflow/svc/c\t[no test files]\n"}
{"Action":"skip","Package":"github.com/svcflow/svc/c"}
{"ImportPath":"github.com/svcflow/svc/d","Action":"build-output","Output":"d.go:1: no\n"}
go: something else
`

func TestReport(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, report(strings.NewReader(run), &out))
	require.Equal(t, `ok  	github.com/svcflow/svc/a	0.1s
    b_test.go:3: it is broken
panic: test timed out
FAIL	github.com/svcflow/svc/b	0.1s
?   	github.com/svcflow/svc/c	[no test files]
d.go:1: no
go: something else

Skipped:
  make conformance
      a TestSuite
`, out.String())
}
