package azure

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/almanac-sched/almanac/engine/spec"
	"github.com/almanac-sched/almanac/recurrence"
)

var (
	instantForm  = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}([Tt ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,9})?)? ?([Zz]|[+-][0-9]{2}(:?[0-9]{2})?)?)?$`)
	spanForm     = regexp.MustCompile(`^(?:([0-9]{1,4})\.)?([0-9]{1,2}):([0-9]{2}):([0-9]{2}(?:\.[0-9]{1,7})?)$`)
	durationForm = regexp.MustCompile(`^P(?:([0-9.]+)Y)?(?:([0-9.]+)M)?(?:([0-9.]+)W)?(?:([0-9.]+)D)?(?:T(?:([0-9.]+)H)?(?:([0-9.]+)M)?(?:([0-9.]+)S)?)?$`)
)

// layouts are the forms of a time of day and of an offset, longest first, as time.Parse has them.
var (
	clockLayouts  = []string{"T15:04:05", "T15:04"}
	offsetLayouts = []string{"Z07:00", "-0700", "-07", ""}
)

// parseTime reads an ISO 8601 time as the service did: without an offset it is UTC, without seconds or a time of day those are zero.
func parseTime(s string) (time.Time, error) {
	wrong := errors.New("it is no ISO 8601 date and time such as 2012-08-04T00:00:00Z")
	if !instantForm.MatchString(s) {
		return time.Time{}, wrong
	}
	text := strings.ToUpper(s)
	if len(text) > len("2006-01-02") {
		text = text[:10] + "T" + strings.ReplaceAll(text[11:], " ", "")
	} else {
		text += "T00:00"
	}
	for _, clock := range clockLayouts {
		for _, offset := range offsetLayouts {
			t, err := time.Parse("2006-01-02"+clock+offset, text)
			if err != nil {
				continue
			}
			if t = t.UTC(); t.Year() < recurrence.FirstYear || t.Year() > 9999 {
				return time.Time{}, fmt.Errorf("its year is outside of %d to 9999", recurrence.FirstYear)
			}
			return t, nil
		}
	}
	return time.Time{}, errors.New("there is no such date or time of day")
}

// longestDuration bounds what can be read at all.
const longestDuration = 100 * 365 * 24 * time.Hour

// parseDuration reads a length of time, ISO 8601 (PT30S, P1D) or a .NET time span (00:00:30, 1.00:00:00). A month counts 30 days, a year 365.
func parseDuration(s string) (time.Duration, error) {
	if m := spanForm.FindStringSubmatch(s); m != nil {
		part, err := numbers(m[1:])
		if err != nil {
			return 0, err
		}
		if part[1] > 23 || part[2] > 59 || part[3] >= 60 {
			return 0, errors.New("a time span has hours up to 23, minutes and seconds up to 59")
		}
		return seconds(((part[0]*24+part[1])*60+part[2])*60 + part[3])
	}
	m := durationForm.FindStringSubmatch(s)
	if m == nil || s == "P" || strings.HasSuffix(s, "T") {
		return 0, errors.New("it is neither an ISO 8601 duration such as PT30S nor a time span such as 00:00:30")
	}
	part, err := numbers(m[1:])
	if err != nil {
		return 0, err
	}
	days := part[0]*365 + part[1]*30 + part[2]*7 + part[3]
	return seconds(((days*24+part[4])*60+part[5])*60 + part[6])
}

func numbers(texts []string) ([]float64, error) {
	list := make([]float64, len(texts))
	for i, text := range texts {
		if text == "" {
			continue
		}
		f, err := strconv.ParseFloat(text, 64)
		if err != nil || text[0] == '.' || text[len(text)-1] == '.' {
			return nil, fmt.Errorf("%s is no number", text)
		}
		list[i] = f
	}
	return list, nil
}

func seconds(s float64) (time.Duration, error) {
	if s > longestDuration.Seconds() {
		return 0, errors.New("it is longer than 100 years")
	}
	return time.Duration(math.Round(s * float64(time.Second))), nil
}

// Lasting is the Duration of a length of time, in ISO 8601.
func Lasting(d time.Duration) *Duration { return &Duration{Text: spec.FormatDuration(d), Length: d} }
