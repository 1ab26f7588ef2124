// Package nearest finds the word that a mistyped one was probably meant to be.
//
//	nearest.Of("nmae", []string{"name", "get"}) // "name"
package nearest

import "strings"

// Of is the first of the words nearest to typed, if one is near enough to be meant: one letter off, or
// two in a word of six or more. Case does not count. "" is that none is.
func Of(typed string, words []string) string {
	best, least := "", 3
	for _, word := range words {
		a, b := []rune(strings.ToLower(typed)), []rune(strings.ToLower(word))
		if d := distance(a, b); d < least && len(a) > 2 && (d <= 1 || len(b) >= 6) {
			best, least = word, d
		}
	}
	return best
}

// distance counts the letters to add, take away, replace or exchange with their neighbour to make a
// into b. Words that differ in length by more than two are far apart, whatever is in them.
func distance(a, b []rune) int {
	if len(a)-len(b) > 2 || len(b)-len(a) > 2 {
		return 3
	}
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			differ := 1
			if a[i-1] == b[j-1] {
				differ = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+differ)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
