// Package picture exports a level of a document as a file: PNG, SVG or PDF.
package picture
