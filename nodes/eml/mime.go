package eml

import (
	"path"
	"strings"
)

// types are the content types of files by their extension, for parts that declare none.
var types = map[string]string{ //nolint:gochecknoglobals // a constant table
	".pdf": "application/pdf", ".zip": "application/zip", ".gz": "application/gzip", ".json": "application/json", ".xml": "application/xml", ".rtf": "application/rtf",
	".doc": "application/msword", ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
	".xls": "application/vnd.ms-excel", ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
	".ppt": "application/vnd.ms-powerpoint", ".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
	".odt": "application/vnd.oasis.opendocument.text", ".ods": "application/vnd.oasis.opendocument.spreadsheet",
	".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp", ".svg": "image/svg+xml", ".bmp": "image/bmp", ".tif": "image/tiff", ".tiff": "image/tiff",
	".mp3": "audio/mpeg", ".wav": "audio/wav", ".ogg": "audio/ogg", ".mp4": "video/mp4", ".mov": "video/quicktime", ".webm": "video/webm",
	".txt": "text/plain", ".log": "text/plain", ".csv": "text/csv", ".html": "text/html", ".htm": "text/html", ".ics": "text/calendar", ".vcf": "text/vcard", ".md": "text/markdown",
	".eml": "message/rfc822", ".p7s": "application/pkcs7-signature", ".p7m": "application/pkcs7-mime", ".asc": "application/pgp-signature",
}

// typeOfName returns the content type of a file with this name, "" if it is unknown.
func typeOfName(name string) string { return types[strings.ToLower(path.Ext(name))] }
