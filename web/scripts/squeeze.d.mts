export function squeeze(dist: string): void;
