// Writes cheerio.json: what cheerio reads of the pages of cases.json. Run with NODE_PATH set
// to a folder with the module cheerio.
const cheerio = require('cheerio'), fs = require('fs'), path = require('path')
const cases = JSON.parse(fs.readFileSync(path.join(__dirname, 'cases.json')))
const results = cases.map(({ html, select, attribute }) => {
  const $ = cheerio.load(html), found = $(select).first()
  return { text: found.text(), html: $.html(found), attribute: attribute ? found.attr(attribute) ?? null : null }
})
const reader = 'cheerio ' + JSON.parse(fs.readFileSync(require.resolve('cheerio/package.json'))).version
fs.writeFileSync(path.join(__dirname, 'cheerio.json'), JSON.stringify({ reader, results }, null, 1) + '\n')
