/** The plain-text part of a mail as it travels (RFC 2045): as much of the format as our own mails use. */
export function readPlainText(source: string): string {
  return findPlainText(source) ?? '';
}

function findPlainText(source: string): string | undefined {
  const end = source.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const headers = source.slice(0, end).replace(/\r\n[ \t]+/g, ' ');
  const body = source.slice(end + 4);
  const boundary = /^content-type:\s*multipart\/.*boundary="?([^";\r\n]+)/im.exec(headers)?.[1];
  if (boundary !== undefined) return findInParts(body, boundary);
  if (!/^content-type:\s*text\/plain/im.test(headers)) return undefined;
  const encoding = /^content-transfer-encoding:\s*(\S+)/im.exec(headers)?.[1]?.toLowerCase();
  return decode(body, encoding);
}

function findInParts(body: string, boundary: string): string | undefined {
  for (const part of body.split(`--${boundary}`).slice(1)) {
    const text = findPlainText(part.replace(/^\r\n/, ''));
    if (text !== undefined) return text;
  }
  return undefined;
}

/** The bytes arrive as latin1, one character each; the text is UTF-8. */
function decode(body: string, encoding: string | undefined): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8');
  if (encoding !== 'quoted-printable') return Buffer.from(body, 'latin1').toString('utf8');
  const bytes = body
    .replace(/(?<![ \t])[ \t]*=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
