// Settings and status.
export const settings = {
};
