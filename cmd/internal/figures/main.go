// Command figures reads the output of benchmarks from standard input. It compares the figures
// with their goals and with the last entry of a history, and adds an entry. `make bench` uses
// it. Usage: figures server|cluster FILE, where FILE is the history, one line of JSON for each
// entry.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

func main() {
	if err := run(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// entry is the result of one run of the benchmarks.
type entry struct {
	Time    time.Time          `json:"time"`
	Go      string             `json:"go"`
	CPUs    int                `json:"cpus"`
	Figures map[string]float64 `json:"figures"` // by the name of the benchmark and the unit
}

func run(args []string, in io.Reader, out io.Writer) error {
	const topic, file = 0, 1
	if len(args) != 2 || topics()[args[topic]] == nil {
		return errors.New("usage: figures server|cluster FILE < what benchmarks print")
	}
	now := entry{Time: time.Now().UTC().Truncate(time.Second), Go: runtime.Version(), CPUs: runtime.NumCPU()}
	var err error
	failed := false
	if now.Figures, failed, err = read(in, out); err != nil {
		return err
	}
	if len(now.Figures) == 0 {
		return errors.New("no benchmark has printed a figure")
	}
	last, err := lastOf(args[file], now.CPUs)
	if err != nil {
		return err
	}
	if err := tell(out, topics()[args[topic]], now, last); err != nil {
		return err
	}
	if failed {
		return errors.New("a benchmark has failed: nothing is added to the history")
	}
	if slips := slipped(now, last); len(slips) > 0 {
		return fmt.Errorf("worse than what may pass, so nothing is added to the history: %s", strings.Join(slips, "; "))
	}
	return add(args[file], now)
}

// Figures that do not depend on other work of the machine, and by how much they may get worse.
const (
	mostMoreInstructions = 0.03 // of them
	mostMoreSwitches     = 0.1  // involuntary ones of a request
)

// slipped returns the figures that have become worse by more than these limits.
func slipped(now entry, last *entry) (slips []string) {
	if last == nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(now.Figures)) {
		value := now.Figures[name]
		was, known := last.Figures[name]
		if !known {
			continue
		}
		if strings.HasSuffix(name, " instructions") && worse(name, value, was) > mostMoreInstructions ||
			strings.HasSuffix(name, " involuntary") && value-was > mostMoreSwitches {
			slips = append(slips, fmt.Sprintf("%s %s, was %s", name, shown(value, true), shown(was, true)))
		}
	}
	return slips
}

// read copies in to out. It returns the medians of the figures, and whether a benchmark has
// failed, because a pipe loses the exit status. go.dev/design/14313-benchmark-format has the
// format: a name, a number of rounds, and pairs of value and unit.
func read(in io.Reader, out io.Writer) (figures map[string]float64, failed bool, err error) {
	all := map[string][]float64{}
	lines := bufio.NewScanner(io.TeeReader(in, out))
	for lines.Scan() {
		failed = failed || strings.HasPrefix(lines.Text(), "FAIL")
		name, values := figuresOf(lines.Text())
		for unit, value := range values {
			all[name+" "+unit] = append(all[name+" "+unit], value)
		}
	}
	figures = map[string]float64{}
	for name, values := range all {
		slices.Sort(values)
		figures[name] = values[len(values)/2]
	}
	return figures, failed, lines.Err()
}

// processors matches the suffix that Go adds to the name of a benchmark.
var processors = regexp.MustCompile(`-\d+$`)

// figuresOf returns the figures of a line, by unit. It skips a speed of 0 ns, which means that
// the benchmark measures no speed.
func figuresOf(line string) (name string, values map[string]float64) {
	const head, pair = 2, 2
	fields := strings.Fields(line)
	if len(fields) < head+pair || !strings.HasPrefix(fields[0], "Benchmark") {
		return "", nil
	}
	values = map[string]float64{}
	for rest := fields[head:]; len(rest) >= pair; rest = rest[pair:] {
		value, err := strconv.ParseFloat(rest[0], 64)
		if err != nil {
			return "", nil
		}
		if value != 0 || rest[1] != "ns/op" {
			values[rest[1]] = value
		}
	}
	return processors.ReplaceAllString(strings.TrimPrefix(fields[0], "Benchmark"), ""), values
}

// lastOf returns the last entry of a history with the given number of processors; nil if the
// history has none.
func lastOf(path string, cpus int) (*entry, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var last *entry
	for line := range bytes.Lines(text) {
		var e entry
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if e.CPUs == cpus {
			last = &e
		}
	}
	return last, err
}

func add(path string, e entry) error {
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}

// notable is the smallest relative change that is reported.
const notable = 0.05

// tell prints the figures that have a goal, and those that have become worse.
func tell(out io.Writer, asked map[string]goal, now entry, last *entry) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "\nasked for\tnow\tasked\t\tlast\tchange")
	for _, name := range slices.Sorted(maps.Keys(asked)) {
		goal, verdict := asked[name], "missing"
		value, ok := now.Figures[name]
		if ok {
			verdict = goal.verdict(value)
		}
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", name, shown(value, ok), goal, verdict, change(name, now, last))
	}
	if err := w.Flush(); err != nil || last == nil {
		return err
	}
	_, _ = fmt.Fprintf(w, "\nworse by more than %.0f %% since %s\tnow\tlast\tchange\n", notable*100, last.Time.Format(time.DateTime))
	for _, name := range slices.Sorted(maps.Keys(now.Figures)) {
		if was, ok := last.Figures[name]; ok && worse(name, now.Figures[name], was) > notable {
			_, _ = fmt.Fprintf(w, "%s\t%s\t%s\n", name, shown(now.Figures[name], true), change(name, now, last))
		}
	}
	return w.Flush()
}

// worse returns by what fraction a figure has become worse; less than 0 if it is better.
func worse(name string, now, was float64) float64 {
	switch {
	case now == was:
		return 0
	case was == 0:
		return math.Inf(1)
	case moreIsBetter(name):
		return (was - now) / was
	}
	return (now - was) / was
}

// moreIsBetter reports whether larger figures of a unit are better: true for ratios and rates,
// false for times, allocations and bytes.
func moreIsBetter(name string) bool {
	unit := name[strings.LastIndexByte(name, ' ')+1:]
	return unit == "ratio" || strings.HasSuffix(unit, "/s")
}

func change(name string, now entry, last *entry) string {
	value, ok := now.Figures[name]
	if !ok || last == nil {
		return "-\t-"
	}
	was, ok := last.Figures[name]
	if !ok {
		return "-\tnew"
	}
	by := 0.0
	if was != 0 {
		by = (value - was) / was * 100
	}
	return fmt.Sprintf("%s\t%+.1f %%", shown(was, true), by)
}

func shown(value float64, known bool) string {
	if !known {
		return "-"
	}
	return strconv.FormatFloat(value, 'g', 4, 64)
}
