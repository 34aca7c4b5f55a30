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

// mate is a process that lives, as it tells.
type mate struct {
	postgres.Member
	About
}

// matesOf returns those who tell of themselves.
func matesOf(members []postgres.Member) (mates []mate) {
	for _, m := range members {
		if a := (mate{Member: m}); m.About != "" && json.Unmarshal([]byte(m.About), &a.About) == nil {
			mates = append(mates, a)
		}
	}
	return mates
}

// fits tells whether the processes of a cluster fit together, and with the placement that it keeps.
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

// ofFiles tells whether the processes find each other's files, which does no harm as long as no
// workflow keeps any.
func ofFiles(mates []mate) []Finding {
	groups := differ(mates, func(m *mate) string { return m.Files })
	if groups == "" {
		return nil
	}
	return []Finding{{About: "files", OK: true, Warns: true, Says: "processes have different data directories, in which workflows do not find each other's files; " +
		"before any of them has nodes of files or media, or takes uploads or forms with files, give all one --data, on a file system that they share: " + groups}}
}

// differ tells who is different, by what they say; "" if nobody is. Who says nothing is like all.
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
	return told(groups)
}

// told tells of each group who is in it.
func told(groups map[string][]string) string {
	var all []string
	for _, is := range slices.Sorted(maps.Keys(groups)) {
		all = append(all, is+" at "+strings.Join(groups[is], ", "))
	}
	return strings.Join(all, "; ")
}

// missing tells which node types are not everywhere.
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
	return told(groups)
}

// namesOf returns the names of what any of the processes tells.
func namesOf(mates []mate, tells func(m *mate) map[string]string) []string {
	all := map[string]bool{}
	for i := range mates {
		for name := range tells(&mates[i]) {
			all[name] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// unanswered tells which queues have nodes placed on them, and no worker.
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
