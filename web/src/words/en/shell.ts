// The frame of the page: sidebar, notices, login.
export const shell = {
};
