// The path of the page on its server. A reverse proxy may serve docent below a path.

/** base is the path of the page, without a slash at the end; '' at the root of the server. */
export const base = new URL('.', document.baseURI).pathname.replace(/\/$/, '');
