package time

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// language has the names of months and days, those from Sunday on, as they stand within a
// date (Unicode CLDR).
type language struct {
	months, shortMonths []string
	days, shortDays     []string
}

func languages() map[string]*language {
	return map[string]*language{
		"en": {
			months:      names("January February March April May June July August September October November December"),
			shortMonths: names("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec"),
			days:        names("Sunday Monday Tuesday Wednesday Thursday Friday Saturday"),
			shortDays:   names("Sun Mon Tue Wed Thu Fri Sat"),
		},
		"de": {
			months:      names("Januar Februar März April Mai Juni Juli August September Oktober November Dezember"),
			shortMonths: names("Jan. Feb. März Apr. Mai Juni Juli Aug. Sept. Okt. Nov. Dez."),
			days:        names("Sonntag Montag Dienstag Mittwoch Donnerstag Freitag Samstag"),
			shortDays:   names("So. Mo. Di. Mi. Do. Fr. Sa."),
		},
		"es": {
			months:      names("enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"),
			shortMonths: names("ene feb mar abr may jun jul ago sept oct nov dic"),
			days:        names("domingo lunes martes miércoles jueves viernes sábado"),
			shortDays:   names("dom lun mar mié jue vie sáb"),
		},
		"fr": {
			months:      names("janvier février mars avril mai juin juillet août septembre octobre novembre décembre"),
			shortMonths: names("janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc."),
			days:        names("dimanche lundi mardi mercredi jeudi vendredi samedi"),
			shortDays:   names("dim. lun. mar. mer. jeu. ven. sam."),
		},
	}
}

func names(list string) []string { return strings.Fields(list) }

// language returns the language of a tag such as de or de-AT.
func (v *vocabulary) language(tag string) (*language, error) {
	primary, _, _ := strings.Cut(strings.ReplaceAll(strings.ToLower(tag), "_", "-"), "-")
	if l, ok := v.languages[primary]; ok {
		return l, nil
	}
	return nil, fmt.Errorf("there are no names of months in %q; the languages are %s", cut(tag), strings.Join(slices.Sorted(maps.Keys(v.languages)), ", "))
}

func (v *vocabulary) checkLanguage(tag string) error {
	_, err := v.language(tag)
	return err
}
