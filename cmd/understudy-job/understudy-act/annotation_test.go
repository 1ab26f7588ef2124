package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/internal/jobwire"
)

func TestAnnotationOf(t *testing.T) {
	for raw, want := range map[string]jobwire.Annotation{
		"::error::m":                                 {Level: "failure", Message: "m"},
		"::error file=a%2Cb,line=2::m":               {Level: "failure", Message: "m", Path: "a,b", StartLine: 2, EndLine: 2},
		"::error endLine=4,title=x%3Ay::m":           {Level: "failure", Message: "m", Title: "x:y", StartLine: 4, EndLine: 4},
		"::error line=2,endLine=4,col=1::m":          {Level: "failure", Message: "m", StartLine: 2, EndLine: 4},
		"::error line=2,col=9,endColumn=3::m":        {Level: "failure", Message: "m", StartLine: 2, EndLine: 2},
		"::error line=2,endColumn=3::m":              {Level: "failure", Message: "m", StartLine: 2, EndLine: 2, StartColumn: 3, EndColumn: 3},
		"::error line=x,col=-1,other=1,file=f::a::b": {Level: "failure", Message: "a::b", Path: "f"},
	} {
		got, _ := annotationOf("error", raw)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", raw, diff)
		}
	}
	if _, ok := annotationOf("group", "::group::x"); ok {
		t.Error("a group is an annotation")
	}
}

func FuzzAnnotationOf(f *testing.F) {
	f.Add("error", "::error file=a,line=1,endLine=3,col=5::%0Ax")
	f.Add("notice", "##[notice]x")
	f.Fuzz(func(t *testing.T, command, raw string) {
		if n, ok := annotationOf(command, raw); ok && (n.StartLine < 0 || n.EndLine < n.StartLine || n.EndColumn < n.StartColumn) {
			t.Errorf("%q: %+v", raw, n)
		}
	})
}
