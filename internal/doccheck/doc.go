// Package doccheck holds the documentation to what is there: links lead to files and headings, commands
// and flags exist, and what is marked to be run is run. It has tests only.
package doccheck
