package action

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// act computes hashFiles by a script for node, which it hands over as a file. This is the same in Go, so
// that a workflow with hashFiles needs no node.
// https://docs.github.com/en/actions/reference/workflows-and-actions/expressions#hashfiles

// IsHashFiles reports whether node was asked for act's script.
func IsHashFiles(args []string) bool {
	return len(args) == 1 && strings.HasSuffix(args[0], "/workflow/hashfiles/index.js")
}

// HashFiles does what the script does: it reads its patterns from the environment and writes the hash to
// stderr, between marks; nothing stands between them when no file matches.
func HashFiles(stderr io.Writer) int {
	workspace, err := os.Getwd() // act starts it there
	var files []string
	if err == nil {
		files, err = hashed(workspace, os.Getenv("patterns"))
	}
	if err != nil {
		fmt.Fprintln(stderr, "understudy-job: error: hashFiles:", err)
		return 1
	}
	sum := ""
	if len(files) > 0 {
		all := sha256.New()
		for _, file := range files {
			if err := addHash(all, file); err != nil {
				fmt.Fprintln(stderr, "understudy-job: error: hashFiles:", err)
				return 1
			}
		}
		sum = hex.EncodeToString(all.Sum(nil))
	}
	fmt.Fprintf(stderr, "__OUTPUT__%s__OUTPUT__\n", sum)
	return 0
}

// hashed returns the files in the order in which the official action walks: pattern by pattern, each
// directory before the name that follows it.
func hashed(workspace, patterns string) ([]string, error) {
	f := &finder{workspace: workspace, home: os.Getenv("HOME"), hidden: true, warn: func(string, ...any) {}}
	files, _, err := f.find(patterns)
	if err != nil {
		return nil, err
	}
	var roots []string
	for _, p := range f.patterns {
		if !p.not {
			roots = append(roots, p.root)
		}
	}
	roots = slices.DeleteFunc(slices.Clone(roots), func(root string) bool {
		return slices.ContainsFunc(roots, func(other string) bool { return other != root && strings.HasPrefix(root, other+"/") })
	})
	place := func(file string) int {
		return slices.IndexFunc(roots, func(root string) bool { return file == root || strings.HasPrefix(file, root+"/") })
	}
	slices.SortFunc(files, func(a, b string) int {
		if pa, pb := place(a), place(b); pa != pb {
			return pa - pb
		}
		return slices.Compare(strings.Split(a, "/"), strings.Split(b, "/"))
	})
	return slices.DeleteFunc(files, func(file string) bool {
		rel, err := filepath.Rel(workspace, file)
		return err != nil || strings.HasPrefix(rel, "..") // only what is in the workspace counts
	}), nil
}

func addHash(all hash.Hash, file string) error {
	in, err := os.Open(file)
	if err != nil {
		return err
	}
	defer in.Close()
	one := sha256.New()
	if _, err := io.Copy(one, in); err != nil {
		return err
	}
	all.Write(one.Sum(nil))
	return nil
}
