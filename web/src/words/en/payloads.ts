// What agents say that is not text.
export const payloads = {
};
