package main

import (
	"fmt"
	"strings"
	"time"
)

// A calendar says which local days are work days: one that is listed as on is, else one that is listed as off is not, else the weekday decides.
type calendar struct {
	weekdays [7]bool
	off, on  []dayRange
}

// A dayRange is days with both ends included.
type dayRange struct{ from, to int64 }

// mondayToFriday is what work days are counted on without a calendar.
var mondayToFriday = &calendar{weekdays: [7]bool{false, true, true, true, true, true, false}}

func newCalendar(def calendarDef) (*calendar, error) {
	c := &calendar{}
	for _, word := range def.WorkDays {
		day, err := weekday(word)
		if err != nil {
			return nil, err
		}
		c.weekdays[day] = true
	}
	var err error
	if c.off, err = dayRanges(def.Off); err == nil {
		c.on, err = dayRanges(def.On)
	}
	return c, err
}

func dayRanges(texts []string) (list []dayRange, err error) {
	for _, text := range texts {
		from, to, ranged := strings.Cut(text, "..")
		if !ranged {
			to = from
		}
		a, err := time.Parse(time.DateOnly, from)
		if err != nil {
			return nil, fmt.Errorf("%q is not a date or a range of dates", text)
		}
		b, err := time.Parse(time.DateOnly, to)
		if err != nil {
			return nil, fmt.Errorf("%q is not a date or a range of dates", text)
		}
		list = append(list, dayRange{floorDiv(a.Unix(), 86400), floorDiv(b.Unix(), 86400)})
	}
	return list, nil
}

func (c *calendar) work(day int64) bool {
	for _, r := range c.on {
		if r.from <= day && day <= r.to {
			return true
		}
	}
	for _, r := range c.off {
		if r.from <= day && day <= r.to {
			return false
		}
	}
	return c.weekdays[weekdayOf(day)]
}

// weekday reads a weekday: its name in English, or the first three letters.
func weekday(word string) (time.Weekday, error) {
	for day := time.Sunday; day <= time.Saturday; day++ {
		name := strings.ToLower(day.String())
		if w := strings.ToLower(word); w == name || w == name[:3] {
			return day, nil
		}
	}
	return 0, fmt.Errorf("%q is not a weekday", word)
}
