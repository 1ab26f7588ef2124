package tracker

import (
	"encoding/json"
	"strings"
)

// node is a part of a document in the Atlassian Document Format.
// https://developer.atlassian.com/cloud/jira/platform/apis/document/structure/
type node struct {
	Type    string          `json:"type"`
	Version int             `json:"version,omitempty"`
	Text    string          `json:"text,omitempty"`
	Attrs   json.RawMessage `json:"attrs,omitempty"`
	Marks   json.RawMessage `json:"marks,omitempty"`
	Content []node          `json:"content,omitempty"`
}

// documentOf is the document that a plain text becomes: a paragraph for each block between blank lines.
func documentOf(text string) json.RawMessage {
	doc := node{Type: "doc", Version: 1}
	for block := range strings.SplitSeq(strings.ReplaceAll(text, "\r\n", "\n"), "\n\n") {
		p := node{Type: "paragraph"}
		for i, line := range strings.Split(block, "\n") {
			if i > 0 {
				p.Content = append(p.Content, node{Type: "hardBreak"})
			}
			if line != "" {
				p.Content = append(p.Content, node{Type: "text", Text: line})
			}
		}
		doc.Content = append(doc.Content, p)
	}
	data, _ := json.Marshal(doc) // texts and a number: it cannot fail
	return data
}

// maxDepth bounds how deep a document nests.
const maxDepth = 64

// parseDocument reports whether data is a document; ok is false when it is not, or nests too deep.
func parseDocument(data json.RawMessage) (doc node, ok bool) {
	if json.Unmarshal(data, &doc) != nil || doc.Type != "doc" || doc.Version != 1 || !doc.sound(0) {
		return node{}, false
	}
	return doc, true
}

func (n node) sound(depth int) bool {
	if n.Type == "" || depth > maxDepth || n.Type == "text" && n.Text == "" {
		return false
	}
	for _, c := range n.Content {
		if !c.sound(depth + 1) {
			return false
		}
	}
	return true
}

// textOf is what a document says, without its form.
func textOf(data json.RawMessage) string {
	var doc node
	if len(data) == 0 || json.Unmarshal(data, &doc) != nil {
		return ""
	}
	var blocks []string
	for _, c := range doc.Content {
		var b strings.Builder
		c.write(&b)
		blocks = append(blocks, b.String())
	}
	return strings.Join(blocks, "\n\n")
}

func (n node) write(b *strings.Builder) {
	switch n.Type {
	case "text":
		b.WriteString(n.Text)
	case "hardBreak":
		b.WriteString("\n")
	case "mention", "emoji":
		var attrs struct {
			Text string `json:"text"`
		}
		if json.Unmarshal(n.Attrs, &attrs) == nil {
			b.WriteString(attrs.Text)
		}
	}
	for i, c := range n.Content {
		if i > 0 && c.block() {
			b.WriteString("\n")
		}
		c.write(b)
	}
}

func (n node) block() bool {
	switch n.Type {
	case "text", "hardBreak", "mention", "emoji", "inlineCard", "date", "status":
		return false
	}
	return true
}
