package main

// A spending is what uses up the count of a job (`recurrence.md` §1): the number of times that it runs before it is completed. What was cancelled before it
// ever started was no run, nor was what passed while the job was away.
type spending struct {
	job  *job
	list []*instance // scheduled, since the job was created, by plan time
}

func (c *checker) spending(j *job) spending {
	s := spending{job: j}
	for _, i := range c.byJob[j] {
		if i.kind == "scheduled" && i.plan >= j.created {
			s.list = append(s.list, i)
		}
	}
	return s
}

// counts reports whether an instance is a run, or is to be one.
func (i *instance) counts() bool { return i.state != "cancelled" || i.fence > 0 }

// hasCount reports whether the latest definition of a job limits how often it runs: rows say which of
// its due times use it up.
func (j *job) hasCount() bool {
	n := len(j.versions)
	return n > 0 && j.versions[n-1].whenErr == nil && j.versions[n-1].when.count > 0
}

// left is how many due times are due from a moment on that lies beyond the plan.
func (s *spending) left(count, begin int64) int64 {
	n := count - s.job.countedGone
	for _, i := range s.list {
		if i.plan < begin && i.counts() {
			n--
		}
	}
	return max(0, n)
}

// usedUp reports whether the job was completed at a due time, as far as could be known then.
func (s *spending) usedUp(count, due int64) bool {
	if count == 0 {
		return false
	}
	n := s.job.countedGone
	for _, i := range s.list {
		if i.plan >= due {
			break
		}
		if i.counts() || i.ended.Int64 >= due {
			n++
		}
	}
	return n >= count
}

// check holds a job that was never edited against its count. What a person has had run again may be one more.
func (s *spending) check(c *checker) {
	last := s.job.versions[len(s.job.versions)-1]
	if last.whenErr != nil || last.when.count == 0 {
		return
	}
	if len(s.job.versions) > 1 {
		c.report.notChecked(c2, 1, "a count of a job whose definition changed")
		return
	}
	c.report.checked(c2)
	n := s.job.countedGone
	for _, i := range s.list {
		if !i.counts() || i.touched || i.fence == 0 && i.ended.Valid {
			continue
		}
		if n++; n == last.when.count+1 {
			c.report.violate(c2, i, "the count of its job is %d, and this is one more", last.when.count)
		}
	}
}
