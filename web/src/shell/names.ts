// Names that others gave: of files, of documents, of conversations.

// What turns the direction of text around: after it "gpj.exe" reads "exe.jpg".
const turning = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** honest is a name as it is written: what would make it read as another is a sign that is seen. */
export const honest = (name: string): string => name.replace(turning, '\ufffd');
