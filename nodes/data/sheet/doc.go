// Package sheet reads the cells of XLSX workbooks (ECMA-376, both its forms), as Excel,
// LibreOffice, Google Sheets and libraries write them.
//
// A cell is a text, a number, a boolean, an error such as "#DIV/0!", or a date, which is a
// number with a format that shows a date. Text stays text, whatever it looks like. Dates
// are ISO 8601 texts, and durations HH:MM:SS. A formula is what it gave when the workbook was
// saved.
package sheet
