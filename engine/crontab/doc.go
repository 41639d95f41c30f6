// Package crontab answers one question: which workflow does the same as a crontab?
//
// It reads a user's crontab, or the form of /etc/crontab with a user in each line, and writes a workflow file. What has no counterpart is said, line by
// line, and never guessed.
package crontab
