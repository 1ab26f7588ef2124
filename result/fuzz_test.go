package result_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/understudy-dev/understudy/result"
)

// small is a record with one of everything; longer ones make fuzzing slow.
const small = `{"schema":1,"kit":"k","started":"2026-08-20T09:00:00Z","platform":{"name":"crew","digest":{"crew":"sha256:aa"}},
"features":[{"uri":"a","text":"t"}],"cells":[{"suite":"s","trials":[{"number":1,"scenarios":[{"id":"a:1","tags":["@x"],"verdict":"failed","steps":[
{"number":1,"verdict":"failed","problem":{"verdict":"failed","what":"w"},"observations":[{"subject":"s","key":"run:1","got":["a"],"want":"w","matcher":{"name":"count","args":[2]}}]}],
"findings":[{"policy":"p","problem":{"verdict":"broken","what":"w"},"cause":"run:5"}],
"journal":[{"seq":1,"type":"step","subject":"step:1"},{"seq":2,"type":"run.created","cause":"step:1","subject":"run:5","detail":{"name":"n"}}],
"evidence":[{"name":"n","path":"p"}]}]}]}],"problems":[{"verdict":"broken","what":"w"}]}`

// FuzzRead reads anything as a record. What is read can be shown, merged and stored again.
func FuzzRead(f *testing.F) {
	f.Add([]byte(small))
	f.Add([]byte(`{"schema": 2}`))
	f.Add([]byte(`{"schema": 1, "cells": [{"trials": [{"scenarios": [{"id": "a:1"}, {"id": "a:1"}]}]}]}`))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, b []byte) {
		path := filepath.Join(dir, "record.json")
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := result.Read(path)
		if err != nil {
			return
		}
		canon := result.Canon(r)
		if err := result.Write(path, r); err != nil {
			t.Fatalf("what was read cannot be stored: %v", err)
		}
		again, err := result.Read(path)
		if err != nil || !bytes.Equal(result.Canon(again), canon) {
			t.Fatalf("stored and read it is another: %v", err)
		}
		merged, err := result.Merge([]result.Record{r}, result.MergeOptions{})
		if err == nil && merged.Counts() != r.Counts() {
			t.Errorf("merging one record makes %+v of %+v", merged.Counts(), r.Counts())
		}
	})
}
