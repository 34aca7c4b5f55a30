// Reads a message from stdin and prints its parts as JSON.
import { createHash } from 'node:crypto'
import { simpleParser } from 'mailparser'

const mail = await simpleParser(process.stdin)
const attachments = mail.attachments.map(({ filename, contentType, content }) => (
  { filename, mime: contentType, sha256: createHash('sha256').update(content).digest('hex') }))
const { subject, from, to, text, html, messageId, inReplyTo = '', references = [] } = mail
console.log(JSON.stringify(
  { subject, from: from.value, to: to.value, text, html, messageId, inReplyTo, references: [references].flat(), attachments }))
