// What the user says, and with what.
export const input = {
};
