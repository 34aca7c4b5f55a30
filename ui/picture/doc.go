// Package picture makes a file of a level of a document as it is seen: PNG, SVG or PDF.
package picture
