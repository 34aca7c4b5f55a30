package mediaai

import "encoding/json"

// ParseTSV exports parseTSV, with the blocks as JSON.
func ParseTSV(table, level string) (text string, blocks []json.RawMessage) {
	text, all := parseTSV(table, level)
	for _, b := range all {
		one, _ := json.Marshal(b)
		blocks = append(blocks, one)
	}
	return text, blocks
}
