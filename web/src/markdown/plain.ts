// Markdown as plain text.

/** bare removes the signs of headings, code, and bold type from a passage. */
export const bare = (passage: string): string => passage.replace(/^[ \t]*#{1,6}[ \t]+/gm, '').replace(/\*\*(?=\S)([^*\n]+)\*\*/g, '$1').replace(/`+([^`\n]+)`+/g, '$1');

/** plain returns a text without the signs of Markdown. */
export function plain(markdown: string): string {
  return markdown
    .replace(/^[ \t]*(?:```|~~~).*$/gm, '')
    .replace(/^[ \t|:-]{2,}(?:\n|$)/gm, '') // lines below table heads and horizontal rules
    .replace(/^[ \t]*(?:#{1,6}|>|[-*+](?: \[[ xX]\])?)[ \t]+/gm, '')
    .replace(/^[ \t]*\|(.*?)\|?[ \t]*$/gm, (_, cells: string) => cells.split('|').map((c) => c.trim()).filter(Boolean).join(', '))
    .replace(/!?\[([^\]\n]*)\]\([^)\s]*(?:\s+"[^"]*")?\)/g, '$1')
    .replace(/`+([^`]+)`+/g, '$1')
    .replace(/(?<!\\)(\*{1,3}|~~)(?=\S)(.+?)(?<=\S)\1/g, '$2')
    .replace(/(?<![\p{L}\p{N}_])(_{1,3})(?=\S)(.+?)(?<=\S)\1(?![\p{L}\p{N}_])/gu, '$2')
    .replace(/\\([\\`*_{}[\]()#+.!|>~-])/g, '$1')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}
