/** formula matches formulas in Markdown, in all four notations. */
export const formula = /\$\$[^$]+?\$\$|\\\[(?!\d)[\s\S]+?\\\]|\\\([\s\S]+?\\\)|\$(?![\s$])[^$\n]*?[^$\s]\$(?![\d\w])/g;
