package pronet

import (
	"encoding/json"
	"maps"
	"slices"
)

// localized is a text in its author's preferred language. The network sends either a plain
// string or an object with all translations.
type localized string

// UnmarshalJSON implements json.Unmarshaler.
func (l *localized) UnmarshalJSON(data []byte) error {
	var plain string
	if json.Unmarshal(data, &plain) == nil {
		*l = localized(plain)
		return nil
	}
	var translated struct {
		Localized map[string]string `json:"localized"`
		Preferred struct {
			Language string `json:"language"`
			Country  string `json:"country"`
		} `json:"preferredLocale"`
	}
	if err := json.Unmarshal(data, &translated); err != nil {
		return err
	}
	preferred := translated.Preferred.Language + "_" + translated.Preferred.Country
	if text, ok := translated.Localized[preferred]; ok {
		*l = localized(text)
		return nil
	}
	for _, language := range slices.Sorted(maps.Keys(translated.Localized)) {
		*l = localized(translated.Localized[language])
		return nil
	}
	return nil
}

// moment is a time in milliseconds since 1970. The network sends either a plain number or
// an object that also names the actor.
type moment int64

// UnmarshalJSON implements json.Unmarshaler.
func (m *moment) UnmarshalJSON(data []byte) error {
	var ms int64
	if json.Unmarshal(data, &ms) == nil {
		*m = moment(ms)
		return nil
	}
	var stamp struct {
		Time int64 `json:"time"`
	}
	if err := json.Unmarshal(data, &stamp); err != nil {
		return err
	}
	*m = moment(stamp.Time)
	return nil
}
