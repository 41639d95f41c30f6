package main

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/almanac-sched/almanac/engine"
)

// choosingWords is what help says of the jobs that a command takes besides a folder.
const choosingWords = `Names of jobs and workflows behind FOLDER, such as orders, retail/orders or retail, choose what of it is meant; several choose all of
them. Terms of a selector narrow that down or widen it: job:dwd_*, workflow:finance, tag:daily, 'retail -job:slow' (as one argument), 2+ (with what they depend on, two steps up), +2 (with
what depends on them); docs/selectors.md has them.`

// folderAndJobs accepts a folder and what chooses jobs of it.
func folderAndJobs(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return usagef("%s needs FOLDER", c.CommandPath())
	}
	return nil
}

// choose finds the jobs of a folder that words and terms mean; nil is all of them.
func (f *folder) choose(args []string) (map[*engine.Job]bool, error) {
	if len(args) == 0 {
		return nil, nil
	}
	var words, terms []string
	for _, arg := range args {
		for term := range strings.FieldsSeq(arg) {
			if strings.ContainsAny(term, ":@") || strings.HasPrefix(term, "+") || strings.HasPrefix(term, "-") || strings.HasSuffix(term, "+") {
				terms = append(terms, term)
			} else {
				words = append(words, term)
			}
		}
	}
	selector := &engine.Selector{}
	if len(terms) > 0 {
		var err error
		if selector, err = engine.ParseSelector(strings.Join(append(terms, "job:*"), " ")); err != nil {
			return nil, selectorMistake(err)
		}
	}
	chosen, err := selector.ChooseJobs(f.jobs, words)
	if errors.Is(err, engine.ErrInvalid) {
		return nil, selectorMistake(err)
	}
	return chosen, err
}

// selectorMistake is a mistake in a selector as one of the command line.
func selectorMistake(err error) error {
	return usagef("%s", strings.ReplaceAll(err.Error(), engine.ErrInvalid.Error()+": ", ""))
}

// only leaves out what was not chosen; nil leaves everything.
func (w *windows) only(chosen map[*engine.Job]bool) {
	if chosen == nil {
		return
	}
	for j := range w.perJob {
		if !chosen[j] {
			delete(w.perJob, j)
		}
	}
	w.unchosen = len(w.f.jobs) - len(chosen)
}

// completeFolderJobs completes a folder, and behind it the names of its jobs and workflows.
func completeFolderJobs(c *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return completeFolders(c, args, word)
	}
	f, _, err := readFolder(args[0])
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var words []string
	for _, w := range f.workflows {
		words = append(words, w.Name)
	}
	for _, j := range f.jobs {
		words = append(words, j.Ref().String())
	}
	slices.Sort(words)
	return words, cobra.ShellCompDirectiveNoFileComp
}
