package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// BenchmarkThroughputRun measures how long svc run takes for a small workflow, from its start to
// its end, and how many times as long as a Go program that prints a line and whose file is as
// large, in turn.
func BenchmarkThroughputRun(b *testing.B) {
	program := buildFor(b, ".")
	bare := bareProgram(b, program)
	for b.Loop() {
		var took, alone, times []float64
		for range 25 {
			t, a := tookTo(b, program, "run", "template:greeting"), tookTo(b, bare)
			took, alone, times = append(took, t), append(alone, a), append(times, t/a)
		}
		b.ReportMetric(0, "ns/op") // says nothing here
		b.ReportMetric(median(took), "run-ms")
		b.ReportMetric(median(alone), "bare-ms")
		b.ReportMetric(median(times), "times")
	}
}

func tookTo(b *testing.B, program string, args ...string) float64 {
	b.Helper()
	began := time.Now()
	out, err := exec.Command(program, args...).Output()
	took := milliseconds(time.Since(began))
	require.NoError(b, err)
	require.NotEmpty(b, out)
	return took
}

// bareProgram builds a program that prints a line, with as much embedded as it takes to be as
// large as another one.
func bareProgram(b *testing.B, like string) string {
	b.Helper()
	dir := b.TempDir()
	for name, text := range map[string]string{
		"go.mod":  "module bare\n\ngo 1.26\n",
		"main.go": "package main\n\nimport (\n\t_ \"embed\"\n\t\"fmt\"\n)\n\n//go:embed ballast\nvar ballast string\n\nfunc main() { fmt.Println(\"hello\", len(ballast)) }\n",
		"ballast": "",
	} {
		require.NoError(b, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	path := filepath.Join(dir, "bare")
	build := func() int64 {
		cmd := exec.Command("go", "build", "-o", path, ".")
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off")
		out, err := cmd.CombinedOutput()
		require.NoError(b, err, string(out))
		info, err := os.Stat(path)
		require.NoError(b, err)
		return info.Size()
	}
	small := build()
	info, err := os.Stat(like)
	require.NoError(b, err)
	require.NoError(b, os.WriteFile(filepath.Join(dir, "ballast"), make([]byte, info.Size()-small), 0o600))
	require.InEpsilon(b, info.Size(), build(), 0.01)
	return path
}
