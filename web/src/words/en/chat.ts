// The conversation: questions, answers, what can be done with them.
export const chat = {
};
