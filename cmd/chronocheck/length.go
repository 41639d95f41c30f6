package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// A distance is an ISO 8601 duration with a sign: calendar units apart from elapsed time.
type distance struct {
	months, days int
	elapsed      time.Duration
}

// parseDistance reads [+-]P[nY][nM][nW][nD][T[nH][nM][nS]]; only seconds may have a fraction.
func parseDistance(text string) (d distance, err error) {
	wrong := fmt.Errorf("%q is not an ISO 8601 duration", text)
	sign := 1
	rest := strings.TrimPrefix(text, "+")
	if strings.HasPrefix(rest, "-") {
		sign, rest = -1, rest[1:]
	}
	rest, ok := strings.CutPrefix(rest, "P")
	if !ok || rest == "" {
		return d, wrong
	}
	date, clock, hasClock := strings.Cut(rest, "T")
	if hasClock && clock == "" {
		return d, wrong
	}
	err = eachUnit(date, func(n float64, unit byte) bool {
		whole := int(n)
		switch unit {
		case 'Y':
			d.months += 12 * whole
		case 'M':
			d.months += whole
		case 'W':
			d.days += 7 * whole
		case 'D':
			d.days += whole
		default:
			return false
		}
		return float64(whole) == n
	})
	if err == nil {
		err = eachUnit(clock, func(n float64, unit byte) bool {
			length := map[byte]time.Duration{'H': time.Hour, 'M': time.Minute, 'S': time.Second}[unit]
			d.elapsed += time.Duration(n * float64(length))
			return length > 0
		})
	}
	if err != nil {
		return distance{}, wrong
	}
	return distance{sign * d.months, sign * d.days, time.Duration(sign) * d.elapsed}, nil
}

func eachUnit(text string, take func(n float64, unit byte) bool) error {
	for text != "" {
		end := strings.IndexFunc(text, func(r rune) bool { return r != '.' && (r < '0' || r > '9') })
		if end < 1 {
			return fmt.Errorf("%q", text)
		}
		n, err := strconv.ParseFloat(text[:end], 64)
		if err != nil || !take(n, text[end]) {
			return fmt.Errorf("%q", text)
		}
		text = text[end+1:]
	}
	return nil
}

// parseLength reads a duration of fixed length; days are 24 hours.
func parseLength(text string, absent time.Duration) (time.Duration, error) {
	if text == "" {
		return absent, nil
	}
	d, err := parseDistance(text)
	if err == nil && d.months != 0 {
		err = fmt.Errorf("%q has no fixed length", text)
	}
	return time.Duration(d.days)*24*time.Hour + d.elapsed, err
}
