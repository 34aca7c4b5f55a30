// Writes mailparser.json: what mailparser reads in the mails of this folder.
//
//	npm install mailparser@3.14.2 && node record.mjs
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { simpleParser } from 'mailparser';

const addresses = header => [].concat(header || []).flatMap(h => h.value).flatMap(a => a.group || [a]).map(a => [a.name, a.address]);

const all = {};
for (const name of readdirSync('mails').sort()) {
    const m = await simpleParser(readFileSync('mails/' + name), { skipImageLinks: true, skipTextToHtml: true });
    all[name] = {
        subject: m.subject || '',
        from: addresses(m.from),
        to: addresses(m.to),
        cc: addresses(m.cc),
        date: m.headers.get('date')?.toISOString().replace('.000', '') || '',
        id: m.messageId || '',
        text: m.text || '',
        html: m.html || '',
        attachments: m.attachments.map(a => ({ filename: a.filename || '', mime: a.contentType, base64: a.content.toString('base64') })),
    };
}
writeFileSync('mailparser.json', JSON.stringify(all, null, '\t') + '\n');
