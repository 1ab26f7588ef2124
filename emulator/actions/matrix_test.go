package actions_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/emulator/actions"
)

func TestMatrix(t *testing.T) {
	for name, tc := range map[string]struct {
		matrix string
		want   []string
	}{
		// The example of GitHub's documentation, "Expanding or adding matrix configurations".
		"include": {`{"fruit":["apple","pear"],"animal":["cat","dog"],"include":[{"color":"green"},{"color":"pink","animal":"cat"},
			{"fruit":"apple","shape":"circle"},{"fruit":"banana"},{"fruit":"banana","animal":"cat"}]}`, []string{
			`run (apple, cat, pink, circle) { "fruit": "apple", "animal": "cat", "color": "pink", "shape": "circle" }`,
			`run (apple, dog, green, circle) { "fruit": "apple", "animal": "dog", "color": "green", "shape": "circle" }`,
			`run (pear, cat, pink) { "fruit": "pear", "animal": "cat", "color": "pink" }`,
			`run (pear, dog, green) { "fruit": "pear", "animal": "dog", "color": "green" }`,
			`run (banana) { "fruit": "banana" }`,
			`run (banana, cat) { "fruit": "banana", "animal": "cat" }`,
		}},
		"exclude": {`{"os":["a","b"],"v":[1,2],"exclude":[{"os":"a","v":1},{"os":"b"}],"include":[{"os":"a","v":1}]}`, []string{
			`run (a, 2) { "os": "a", "v": 2 }`, `run (a, 1) { "os": "a", "v": 1 }`,
		}},
		"include alone": {`{"include":[{"x":{"deep":[1,""]},"y":null},{"z":true}]}`, []string{
			`run (1) { "x": { "deep": [ 1, "" ] }, "y": null }`, `run (true) { "z": true }`,
		}},
		"all excluded": {`{"x":[1],"exclude":[{"x":1}]}`, nil},
		"long name":    {`{"x":["` + strings.Repeat("é", 120) + `"]}`, []string{"run (" + strings.Repeat("é", 92) + `... { "x": "` + strings.Repeat("é", 120) + `" }`}},
	} {
		got, err := actions.Expand(tc.matrix)
		if diff := cmp.Diff(tc.want, got); err != nil || diff != "" {
			t.Errorf("%s: %v\n%s", name, err, diff)
		}
	}
}

func TestMatrixRefused(t *testing.T) {
	many := strings.TrimSuffix(strings.Repeat("1,", 17), ",")
	for matrix, want := range map[string]string{
		`[1]`:                           "matrix is not a mapping",
		`{"x":1}`:                       `matrix "x" is not a list`,
		`{"x":[]}`:                      `matrix vector "x" does not contain any values`,
		`{"include":[]}`:                "matrix must define at least one vector",
		`{}`:                            "matrix must define at least one vector",
		`{"include":{}}`:                "matrix include is not a list",
		`{"x":[1],"include":[1]}`:       "matrix include: entry 1 is not a mapping",
		`{"x":[1],"exclude":[{"y":1}]}`: `matrix excludes by "y", which it does not have`,
		fmt.Sprintf(`{"x":[%s],"y":[%s]}`, many, many):                "matrix has 289 cells; 256 are the limit",
		fmt.Sprintf(`{"x":[%s],"y":[%s],"z":[%s]}`, many, many, many): "too many cells",
	} {
		if _, err := actions.Expand(matrix); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: got %v, want %s", matrix, err, want)
		}
	}
}
