package member

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/svcflow/svc/store/postgres"
)

// mate is a living process with its About.
type mate struct {
	postgres.Member
	About
}

// matesOf returns the processes that have an About.
func matesOf(members []postgres.Member) (mates []mate) {
	for _, m := range members {
		if a := (mate{Member: m}); m.About != "" && json.Unmarshal([]byte(m.About), &a.About) == nil {
			mates = append(mates, a)
		}
	}
	return mates
}

// fits checks that the processes of a cluster are compatible, also with the stored placement.
func fits(mates []mate, placed string) (found []Finding) {
	wrong := func(about, groups, says string) {
		if groups != "" {
			found = append(found, finding(about, false, says+": "+groups))
		}
	}
	wrong("versions", differ(mates, func(m *mate) string { return m.Version }), "processes differ; bring them to one version")
	wrong("types", missing(mates), "not all processes have the same node types; give them the same plugins and programs")
	wrong("keys", differ(mates, func(m *mate) string { return m.Key }), "instances have different API keys; give them one SVC_API_KEY (what follows are marks, not keys)")
	for _, flag := range namesOf(mates, func(m *mate) map[string]string { return m.Flags }) {
		wrong("flags", differ(mates, func(m *mate) string {
			if _, known := m.Flags[flag]; !known || flag == placeFlag && m.Runs == 0 {
				return ""
			}
			return cmp.Or(m.Flags[flag], "none")
		}), "processes differ in --"+flag+"; give it to all of them alike")
	}
	for _, variable := range namesOf(mates, func(m *mate) map[string]string { return m.Variables }) {
		wrong("variables", differ(mates, func(m *mate) string {
			if m.Variables == nil {
				return ""
			}
			return cmp.Or(m.Variables[variable], "none")
		}), "processes differ in "+variable+"; set it alike for all of them, or for none")
	}
	found = append(found, unanswered(mates)...)
	for _, m := range mates {
		if is := m.Flags[placeFlag]; m.Runs > 0 && placed != "" && is != placed {
			found = append(found, finding("placement", false, fmt.Sprintf("%s places %s, and the cluster keeps %s; start it anew", m.Name, cmp.Or(is, "none"), placed)))
		}
	}
	for _, m := range mates {
		if m.Ahead.Abs() > clocksApart {
			found = append(found, finding("clocks", false, fmt.Sprintf("the clock of %s is %s apart from the database's; let NTP set the clocks of all machines", m.Name, m.Ahead.Abs())))
		}
	}
	if len(found) == 0 && len(mates) > 0 {
		found = append(found, finding("processes", true, fmt.Sprintf("%d, which fit together: their versions, node types, keys, flags, rate limits and clocks", len(mates))))
	}
	return append(found, ofFiles(mates)...)
}

// ofFiles warns if processes have different data directories. That does no harm while no workflow
// uses files.
func ofFiles(mates []mate) []Finding {
	groups := differ(mates, func(m *mate) string { return m.Files })
	if groups == "" {
		return nil
	}
	return []Finding{{About: "files", OK: true, Warns: true, Says: "processes have different data directories, in which workflows do not find each other's files; " +
		"before any of them has nodes of files or media, or takes uploads or forms with files, give all one --data, on a file system that they share: " + groups}}
}

// differ describes the groups of processes with different values; "" if there are no differences.
// Empty values do not count.
func differ(mates []mate, says func(m *mate) string) string {
	groups := map[string][]string{}
	for i := range mates {
		if is := says(&mates[i]); is != "" {
			groups[is] = append(groups[is], mates[i].Name)
		}
	}
	if len(groups) < 2 {
		return ""
	}
	return describeGroups(groups)
}

// describeGroups lists each value with the names of its processes.
func describeGroups(groups map[string][]string) string {
	var all []string
	for _, is := range slices.Sorted(maps.Keys(groups)) {
		all = append(all, is+" at "+strings.Join(groups[is], ", "))
	}
	return strings.Join(all, "; ")
}

// missing describes the node types that some processes lack.
func missing(mates []mate) string {
	all := map[string]bool{}
	for i := range mates {
		for _, typ := range mates[i].Types {
			all[typ] = true
		}
	}
	groups := map[string][]string{}
	for i := range mates {
		var without []string
		for _, typ := range slices.Sorted(maps.Keys(all)) {
			if !slices.Contains(mates[i].Types, typ) {
				without = append(without, typ)
			}
		}
		const most = 3
		if more := len(without) - most; more > 0 {
			without = append(without[:most], fmt.Sprintf("and %d more", more))
		}
		if len(without) > 0 {
			is := "no " + strings.Join(without, ", ")
			groups[is] = append(groups[is], mates[i].Name)
		}
	}
	return describeGroups(groups)
}

// namesOf returns all keys of the maps of the processes, sorted.
func namesOf(mates []mate, tells func(m *mate) map[string]string) []string {
	all := map[string]bool{}
	for i := range mates {
		for name := range tells(&mates[i]) {
			all[name] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// unanswered finds queues on which nodes are placed, and that no worker answers.
func unanswered(mates []mate) (found []Finding) {
	placed := map[string]string{}
	for i := range mates {
		if mates[i].Runs == 0 {
			continue
		}
		for rule := range strings.SplitSeq(mates[i].Flags[placeFlag], ",") {
			if pattern, queue, ok := strings.Cut(rule, "="); ok {
				placed[queue] = pattern
			}
		}
	}
	for _, queue := range slices.Sorted(maps.Keys(placed)) {
		if !slices.ContainsFunc(mates, func(m mate) bool { return slices.Contains(m.Answers, queue) }) {
			found = append(found, finding("queues", false, fmt.Sprintf("nobody answers %s, where %s is placed; start a worker with --answer %s", queue, placed[queue], queue)))
		}
	}
	return found
}
