// Sources, passages and what was searched.
export const evidence = {
};
