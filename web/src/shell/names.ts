// Safe display of names that others chose: of files, documents, and conversations.

// Characters that change the direction of text. After one, "gpj.exe" reads "exe.jpg".
const turning = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** honest returns a name without hidden direction changes. It replaces their characters by a visible sign. */
export const honest = (name: string): string => name.replace(turning, '\ufffd');
