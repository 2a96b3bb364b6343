// The views of the console by the role of a person.
import { account } from '../shell/account.svelte';
import { views, type View } from './views';

/** opens reports whether the user may open a view. The server checks each request again. */
export const opens = (view: View): boolean => account.administers || (view.role === 'manager' && account.manager);

/** opened returns the view of an address. Without a name, it is the first one that the user may open. */
export const opened = (name: string): View | undefined => views.find((v) => (v.name === name || !name) && opens(v));
