// Package xmltree reads XML into values and writes values as XML.
//
// An element without attributes and child elements is a text. Any other element is a record:
// its attributes under their names with a prefix, its child elements under their names, and
// its own text under "#text". Child elements with the same name are a list. The order of
// child elements with different names is not kept.
package xmltree

// TextKey is the field for the text of an element that has attributes or child elements.
const TextKey = "#text"
