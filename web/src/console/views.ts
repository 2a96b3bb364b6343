// The views of the console, in the order of its sidebar. A new view is one row here.
import type { Component } from 'svelte';
import type { IconName } from '../shell/Icon.svelte';
import type { Console } from '../words/en/console';

/** Role is who sees a view: administrators, or also managers of a collection. */
export type Role = 'administrator' | 'manager';

/** View is a view of the console. */
export interface View {
  /** The name in the address: #/console/NAME. It is also the key of the title. */
  name: keyof Console['views'];
  icon: IconName;
  role: Role;
  /** load loads the component. rest is the rest of the address after NAME, without the slash. */
  load: () => Promise<{ default: Component<{ rest: string }> }>;
}

export const views: readonly View[] = [
  { name: 'today', icon: 'check', role: 'manager', load: () => import('./Today.svelte') },
  { name: 'work', icon: 'again', role: 'manager', load: () => import('./Work.svelte') },
  { name: 'system', icon: 'screen', role: 'administrator', load: () => import('./System.svelte') },
  { name: 'models', icon: 'spark', role: 'administrator', load: () => import('./Models.svelte') },
  { name: 'settings', icon: 'tune', role: 'administrator', load: () => import('./Settings.svelte') },
  { name: 'embed', icon: 'out', role: 'administrator', load: () => import('./Embed.svelte') },
  { name: 'people', icon: 'people', role: 'administrator', load: () => import('./People.svelte') },
  { name: 'log', icon: 'file', role: 'administrator', load: () => import('./Log.svelte') },
  { name: 'questions', icon: 'chat', role: 'manager', load: () => import('./Questions.svelte') },
  { name: 'gaps', icon: 'search', role: 'manager', load: () => import('./Gaps.svelte') },
  { name: 'answers', icon: 'pen', role: 'manager', load: () => import('./Answers.svelte') },
  { name: 'quality', icon: 'tack', role: 'manager', load: () => import('./Quality.svelte') },
];
