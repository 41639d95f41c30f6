package deps

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Describe gives the edge's rule in words, for people: the pair of periods, then
// what is waited for ("discrete hours on hourly: paired within the natural day").
func (b *Binder) Describe() string {
	var s strings.Builder
	if b.rule.shape == shapeSelf {
		fmt.Fprintf(&s, "%s on itself: ", b.down.Period)
	} else {
		fmt.Fprintf(&s, "%s on %s: ", b.down.Period, b.up.Period)
	}
	s.WriteString(b.where())
	if b.edge.Policy == Traditional && b.rule.reason == TraditionalBack {
		s.WriteString(" (traditional policy)")
	}
	if len(b.edge.Hours) > 0 {
		hours := make([]string, 0, len(b.edge.Hours))
		for _, h := range set(b.edge.Hours, 24) {
			hours = append(hours, strconv.Itoa(h))
		}
		s.WriteString(", only those at hour " + strings.Join(hours, ", "))
	}
	return s.String()
}

// where says which part of which window is waited for.
func (b *Binder) where() string {
	r := &b.rule
	part := map[SelectKind]string{SelectAny: "any one", SelectFirst: "the first", SelectLast: "the last"}[b.sel.Kind]
	switch {
	case part != "":
	case b.sel.Kind == SelectCount:
		part = fmt.Sprintf("at least %d", b.sel.N)
	default:
		part = "all"
	}
	switch r.shape {
	case shapeDay:
		return part + " of " + ago(r.n, "the same natural day", "the previous natural day", "the natural day %d days before")
	case shapeWeek:
		return part + " of " + ago(r.n, "", "the previous calendar week", "the calendar week %d weeks before")
	case shapeMonth:
		return part + " of " + ago(r.n, "", "the previous calendar month", "the calendar month %d months before")
	case shapePair:
		where := "paired " + ago(r.n, "within the natural day", "by clock time with the previous natural day", "by clock time with the natural day %d days before")
		if part != "all" {
			where += ", " + part + " of the set"
		}
		return where
	case shapeHour:
		switch {
		case r.hi < 0:
			return part + " of the same clock hour"
		case r.lo == time.Hour:
			return part + " of the previous clock hour"
		}
		return fmt.Sprintf("%s from %s to %s before the clock hour", part, brief(r.lo), brief(r.hi))
	case shapeRolling:
		if r.hi == 0 {
			return part + " of the last " + brief(r.lo)
		}
		return fmt.Sprintf("%s from %s to %s before", part, brief(r.lo), brief(r.hi))
	case shapeRollingDays:
		return part + " of " + ago(r.n, "", "the time since the same clock time a day before", "the time since the same clock time %d days before")
	case shapeNearestDay:
		return "the latest not after it in the natural day"
	case shapeNearestBack:
		return "the latest not after it, at most " + brief(r.lo) + " before"
	case shapeExplicit:
		w := b.edge.Window
		return fmt.Sprintf("%s of the window from %s to %s, closed %s", part, w.From, w.To, w.Closed)
	}
	return ago(r.n, "", "its previous plan time", "its plan time %d cycles before")
}

// ago picks the words for 0, 1, or n units before; many holds one %d.
func ago(n int, same, one, many string) string {
	switch n {
	case 0:
		return same
	case 1:
		return one
	}
	return fmt.Sprintf(many, n)
}

// String writes the offset as an ISO 8601 duration, for example "-PT24H", "P1M"
// or "PT0S"; parts of different sign keep their own.
func (o Offset) String() string {
	sign := ""
	if o.Years <= 0 && o.Months <= 0 && o.Days <= 0 && o.Duration <= 0 && o != (Offset{}) {
		sign, o = "-", Offset{-o.Years, -o.Months, -o.Days, -o.Duration}
	}
	var s strings.Builder
	s.WriteString(sign + "P")
	for _, part := range []struct {
		n    int
		unit string
	}{{o.Years, "Y"}, {o.Months, "M"}, {o.Days, "D"}} {
		if part.n != 0 {
			fmt.Fprintf(&s, "%d%s", part.n, part.unit)
		}
	}
	if o.Duration != 0 {
		s.WriteString("T" + strings.ToUpper(brief(o.Duration)))
	}
	if s.Len() == len(sign)+1 {
		return "PT0S"
	}
	return s.String()
}

// brief writes a duration without its zero parts: "24h", "1h30m", "15m".
func brief(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
