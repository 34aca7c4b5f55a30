package trigger

import (
	"maps"
	"slices"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// sampleSetting returns the input for a sample event, which is used when users try the
// workflow.
func sampleSetting() node.Port {
	return setting(node.Port{
		Name: "sample", Type: value.RecordOf(), Optional: true, Widget: "json",
		Description: "What is put out when somebody tries the workflow by hand and gives no payload: values by output.",
	})
}

// sampleOf converts a sample to outputs.
func sampleOf(config any, outputs []node.Port) (map[string]any, []node.Problem) {
	given, _ := config.(map[string]any)
	sample := make(map[string]any, len(given))
	var problems []node.Problem
	for _, name := range slices.Sorted(maps.Keys(given)) {
		i := slices.IndexFunc(outputs, func(p node.Port) bool { return p.Name == name })
		if i < 0 {
			problems = append(problems, node.Invalid("sample", "there is no output %.100q", name))
			continue
		}
		v, err := outputs[i].Accept(given[name])
		if err != nil {
			problems = append(problems, node.Invalid("sample", "the output %q: %v", name, err))
		}
		sample[name] = v
	}
	return sample, problems
}

// with overwrites outputs with those of the sample.
func with(outputs, sample map[string]any) map[string]any {
	maps.Copy(outputs, sample)
	return outputs
}
