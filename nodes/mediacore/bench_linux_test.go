package mediacore_test

import (
	"os/exec"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/workflow"
)

// BenchmarkChains compares chains of nodes with hand-written commands: the ratio of CPU
// times, and of elapsed times, as medians of pairs. The order in a pair alternates. Both
// run with the same low priority, so that other load on the machine affects them equally.
// Run it with -benchtime 5x.
func BenchmarkChains(b *testing.B) {
	s := newStudio(b)
	s.vars["SVC_MEDIA_PROCESSES"] = "1"
	s.open(nil)
	s.clip("in.mp4", "1280x720", "30", 12, true)
	chains := handmade()
	for _, name := range []string{"trim", "crop, resize", "trim, crop, size", "six", "ten"} {
		c := chains[name]
		steps := slices.Clone(c.steps)
		seek := c.seek
		if seek != "" { // ten seconds of the video
			steps[0] = trimmed(1000, 11000)
			seek = "-ss 1 -t 10"
		}
		b.Run(name, func(b *testing.B) {
			var cpu, time []float64
			def := chain(append(append([]step{load()}, steps...), encoded("a.mp4"))...)
			ours, hands := func() { s.made(def) }, func() { s.patient(byHand(seek, c.graph, "b.mp4", runtime.GOMAXPROCS(0))...) }
			ours() // detects ffmpeg's features and probes the file, once
			for b.Loop() {
				c, t := compared(ours, hands, len(cpu)%2 == 1)
				cpu, time = append(cpu, c), append(time, t)
			}
			b.ReportMetric(median(cpu), "cpu/by-hand")
			b.ReportMetric(median(time), "time/by-hand")
		})
	}
}

// BenchmarkCopies compares a node that changes no picture with a copy of all streams.
func BenchmarkCopies(b *testing.B) {
	s := newStudio(b)
	s.clip("in.mp4", "1280x720", "30", 20, true)
	encode := func(config record) step { return step{id: "encode", typ: "media.video_encode", config: config} }
	for name, def := range map[string]*workflow.Definition{
		"copy": chain(load(), encode(record{"output_path": "a.mp4", "codec": "copy"})),
		"mute": chain(load(), step{id: "mute", typ: "media.video_sound"}, encode(record{"output_path": "a.mp4", "codec": "auto"})),
	} {
		hand := []string{"-i", "in.mp4", "-c", "copy", "-movflags", "+faststart"}
		if name == "mute" {
			hand = append(hand, "-an")
		}
		b.Run(name, func(b *testing.B) {
			var cpu, time []float64
			ours, hands := func() { s.made(def) }, func() { s.patient(append(hand, "b.mp4")...) }
			ours()
			for b.Loop() {
				c, t := compared(ours, hands, len(cpu)%2 == 1)
				cpu, time = append(cpu, c), append(time, t)
			}
			b.ReportMetric(median(cpu), "cpu/by-hand")
			b.ReportMetric(median(time), "time/by-hand")
		})
	}
}

// patient runs ffmpeg with the priority of the service's converters.
func (s *studio) patient(args ...string) {
	s.t.Helper()
	cmd := exec.Command("ffmpeg", append([]string{"-hide_banner", "-nostdin", "-v", "error", "-y"}, args...)...)
	cmd.Dir = s.dir
	require.NoError(s.t, cmd.Start())
	_ = syscall.Setpriority(syscall.PRIO_PROCESS, cmd.Process.Pid, 10)
	require.NoError(s.t, cmd.Wait())
}

// compared returns the ratios of CPU time and elapsed time of one to other.
func compared(one, other func(), otherFirst bool) (cpu, took float64) {
	var theirs, waited float64
	if otherFirst {
		theirs, waited = spent(other)
	}
	cpu, took = spent(one)
	if !otherFirst {
		theirs, waited = spent(other)
	}
	return cpu / theirs, took / waited
}

// spent returns the CPU time and the elapsed time of f, including child processes.
func spent(f func()) (cpu, took float64) {
	used := func() float64 {
		var r syscall.Rusage
		_ = syscall.Getrusage(syscall.RUSAGE_CHILDREN, &r)
		return float64(r.Utime.Nano()+r.Stime.Nano()) / 1e9
	}
	runtime.GC()
	before, began := used(), time.Now()
	f()
	return used() - before, time.Since(began).Seconds()
}

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}
