// The library.
export const documents = {
};
