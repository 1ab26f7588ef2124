// Renders Cucumber Messages with the official HTML formatter, through the official parser:
//
//	node formatter.mjs NODE_MODULES MESSAGES.ndjson PAGE.html
import { createReadStream, createWriteStream } from 'node:fs'
import { createRequire } from 'node:module'
import { pipeline } from 'node:stream/promises'

const [modules, from, to] = process.argv.slice(2)
const require = createRequire(modules + '/')
const { default: HtmlStream, CucumberHtmlStream = HtmlStream } = require('@cucumber/html-formatter')
const messages = require('@cucumber/messages')

// One envelope a line, each made into the protocol's own classes.
async function* envelopes(source) {
  let rest = ''
  for await (const chunk of source.setEncoding('utf8')) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop()
    for (const line of lines) if (line) yield messages.parseEnvelope(line)
  }
  if (rest) throw new Error('the last line has no end')
}

await pipeline(createReadStream(from), envelopes, new CucumberHtmlStream(), createWriteStream(to))
