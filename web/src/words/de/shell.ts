// The frame of the page: sidebar, notices, login.
import type { Catalogue } from '../en';

export const shell: Catalogue['shell'] = {
};
