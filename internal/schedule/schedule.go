// Package schedule holds orders of what could come next in more than one. A schedule is the list of
// the choices that were not the usual one; a Decider makes them, and notes what there was to choose;
// an Explorer goes through the orders there are; Shrink looks for the shortest that still does it.
//
//	s, err := schedule.Parse("2:1")
//	d := s.Decider()
//	next := d.Choose([]string{"deliver a", "deliver b"})
package schedule

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// maxPoint bounds what Parse takes.
const maxPoint = 1_000_000

// Choice is one decision: at the point, counted from 1, the option is taken, counted from 0.
type Choice struct{ Point, Option int }

// Schedule is the choices that are not option 0, by point. Nil is the usual order.
type Schedule []Choice

// String is the form that Parse reads: "2:1,5:3"; "0" is the usual order.
func (s Schedule) String() string {
	if len(s) == 0 {
		return "0"
	}
	parts := make([]string, len(s))
	for i, c := range s {
		parts[i] = fmt.Sprintf("%d:%d", c.Point, c.Option)
	}
	return strings.Join(parts, ",")
}

// Parse reads POINT:OPTION,POINT:OPTION with rising points; "0" is the usual order.
func Parse(text string) (Schedule, error) {
	if text == "0" {
		return nil, nil
	}
	var s Schedule
	last := 0
	for part := range strings.SplitSeq(text, ",") {
		before, after, _ := strings.Cut(part, ":")
		point, err := number(before)
		option, err2 := number(after)
		if err != nil || err2 != nil {
			return nil, fmt.Errorf("schedule %q: %q is not POINT:OPTION, two numbers from 1; the whole is such as 2:1,5:3, or 0 for the usual order", text, part)
		}
		if point <= last {
			return nil, fmt.Errorf("schedule %q: point %d comes after point %d", text, point, last)
		}
		last = point
		s = append(s, Choice{point, option})
	}
	return s, nil
}

func number(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err == nil && (n < 1 || n > maxPoint || strconv.Itoa(n) != text) {
		err = strconv.ErrRange
	}
	return n, err
}

// less orders schedules by how much they ask for.
func less(a, b Schedule) bool {
	weight := func(s Schedule) (n int) {
		for _, c := range s {
			n += c.Option
		}
		return n
	}
	return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(weight(a), weight(b)), slices.CompareFunc(a, b, func(x, y Choice) int {
		return cmp.Compare(x.Point, y.Point)
	})) < 0
}

// Shrink returns the shortest schedule it finds that still fails, beginning with a run that failed. fails
// tries one and returns the choices that were really made. A single choice that does it is found if it
// stands at a point of that run; otherwise choices are left out as long as it goes on failing.
func Shrink(made []Decision, fails func(Schedule) (Schedule, bool)) Schedule {
	s := of(made)
	try := func(candidate Schedule) bool {
		made, ok := fails(candidate)
		if ok && less(made, s) {
			s = made
			return true
		}
		return false
	}
	for point := 1; point <= len(made) && len(s) > 1; point++ {
		for option := 1; option < len(made[point-1].Options); option++ {
			if try(Schedule{{point, option}}) {
				return s
			}
		}
	}
	for size := len(s); size > 0; {
		shorter := false
		for at := 0; at+size <= len(s) && !shorter; at++ {
			shorter = try(slices.Delete(slices.Clone(s), at, at+size))
		}
		if !shorter {
			size--
		}
		size = min(size, len(s))
	}
	for at := 0; at < len(s); at++ {
		for option := 1; at < len(s) && option < s[at].Option; option++ {
			candidate := slices.Clone(s)
			candidate[at].Option = option
			if try(candidate) {
				break
			}
		}
	}
	return s
}
