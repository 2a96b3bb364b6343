/** formula is what is one in Markdown, in each of its four notations. */
export const formula = /\$\$[^$]+?\$\$|\\\[(?!\d)[\s\S]+?\\\]|\\\([\s\S]+?\\\)|\$(?![\s$])[^$\n]*?[^$\s]\$(?![\d\w])/g;
