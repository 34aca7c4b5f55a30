package jsonnode_test

// jqDifference is a reason why cases of jq's test suite have another result. Reasons that
// start with "gojq" are the library's: its README lists them, or gojq has the same result
// without our limits.
type jqDifference struct{ reason, cases string }

func jqDifferences() []jqDifference {
	return []jqDifference{
		{
			`gojq: a key that is no text is refused when the filter runs`,
			"jq:126 jq:138 jq:565",
		},
		{
			`gojq: error messages have other words`,
			"jq:200 jq:213 jq:217 jq:405 jq:701 jq:709 jq:720 jq:745 jq:1123 jq:1127 jq:1131 jq:1135 jq:1173 jq:1214 " +
				"jq:1258 jq:1290 jq:1294 jq:1302 jq:1448 jq:1481 jq:1575 jq:1811 jq:1839 jq:1868 jq:1872 jq:1876 jq:1881 " +
				"jq:1885 jq:1997 jq:2001 jq:2005 jq:2034 jq:2038 jq:2046 jq:2050 jq:2054 jq:2058 jq:2062 jq:2411 jq:2475 " +
				"jq:2479 jq:2494 jq:2498 jq:2516 jq:2523 jq:2533 base64:40 base64:45 uri:65 uri:70 uri:75 uri:80",
		},
		{
			`ours: more than the budget, where jq and gojq have an error of their own, or take the time`,
			"jq:229 jq:1641 jq:2602",
		},
		{
			`ours: numbers beyond the range of floats are not finite; jq makes them the largest float`,
			"jq:661",
		},
		{
			`the filter ends with an error: of it jq looks at the results before, and the node fails`,
			"jq:945 jq:949 jq:953 jq:957 jq:2359",
		},
		{
			`gojq: no NaN and Infinity in JSON (README: "does not parse JSON extensions")`,
			"jq:1306 jq:2315 jq:2319 jq:2324 jq:2407",
		},
		{
			`gojq: no $__loc__ (README: "does not support some functions intentionally")`,
			"jq:1499 jq:2304 man:341",
		},
		{
			`gojq: no function of that name; it is internal to jq`,
			"jq:1553 jq:1557",
		},
		{
			`modules: there are none to load`,
			"jq:1900 jq:1904 jq:1908 jq:1912 jq:1917 jq:1921 jq:1925 jq:1929 jq:1969 jq:1973 jq:1977 jq:1993",
		},
		{
			`gojq: no have_decnum; whole numbers of any size are exact (README: "arbitrary-precision integer calculation")`,
			"jq:2014 jq:2196 jq:2200 jq:2204 jq:2224 jq:2228 jq:2232 jq:2271 jq:2275 man:9 man:13 man:21 man:25",
		},
		{
			`gojq: whole numbers of any size are exact (README: "arbitrary-precision integer calculation")`,
			"jq:2211 jq:2215 jq:2219 jq:2241",
		},
		{
			`gojq: abs keeps the sign of -0`,
			"jq:2254",
		},
		{
			`ours: a filter sees its value alone: no input and no debug output`,
			"jq:2337 jq:2341",
		},
		{
			`gojq: supports string indexing (README)`,
			"jq:2487",
		},
		{
			`gojq: no limits on depth like those of jq; ours are the budget, and 1,000 for results`,
			"jq:2563 jq:2568 jq:2577 jq:2585 jq:2593 jq:2611 jq:2616 jq:2621 jq:2625 jq:2629 jq:2633",
		},
		{
			`ours: a filter sees no environment`,
			"man:686 man:690",
		},
		{
			`gojq: regular expressions of RE2 (README: "does not support some regular expression metacharacters, … and some flags")`,
			"onig:6 onig:32 onig:67 onig:104 onig:128 manonig:13 manonig:67",
		},
		{
			`gojq: @urid takes bytes that are no UTF-8; in results they become U+FFFD`,
			"uri:85 uri:90",
		},
	}
}
