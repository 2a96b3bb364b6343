// The frame of the page: sidebar, notices, login.
import { plural } from '../plural';

export const shell = {
  // Places
  conversation: 'Conversation',
  newChat: 'New chat',
  documents: 'Documents',
  sources: 'Sources',
  settings: 'Settings',
  skip: 'Skip to the content',
  menu: 'Menu',
  closeMenu: 'Close the menu',
  navigation: 'Conversations and documents',
  theme: (choice: string) => `Theme: ${choice}`,
  changeTheme: (choice: string) => `Theme: ${choice}. Change it`,
  themes: { system: 'system', light: 'light', dark: 'dark' },

  // Conversations
  conversations: 'Conversations',
  search: 'Search conversations',
  clear: 'Clear the search',
  found: (n: number) => `${plural(n, 'conversation', 'conversations')} found`,
  noneFound: 'No conversation matches.',
  none: 'None yet',
  groups: { pinned: 'Pinned', today: 'Today', yesterday: 'Yesterday', week: 'Previous 7 days', older: 'Older' },
  more: 'Show more',
  unread: 'New answer',
  options: (name: string) => `Options of “${name}”`,
  rename: 'Rename',
  name: 'Name of the conversation',
  pin: 'Pin',
  unpin: 'Unpin',
  exportMarkdown: 'Export as Markdown',
  exportJSON: 'Export as JSON',
  remove: 'Delete',
  removed: (name: string) => `Deleted “${name}”`,
  notListed: 'The conversations could not be listed.',
  notSearched: 'The conversations could not be searched.',
  notRenamed: 'The conversation was not renamed.',
  notPinned: 'The conversation was not pinned.',
  notUnpinned: 'The conversation is still pinned.',
  notRemoved: 'The conversation was not deleted.',

  // What answers
  model: 'What answers',
  quotes: 'Quotes from the documents',
  noModel: 'No language model is set',
  notConnected: 'not connected',

  // Notices
  undo: 'Undo',
  dismiss: 'Dismiss',
  cancel: 'Cancel',
  tryAgain: 'Try again',

  // Login
  logIn: 'Log in',
  logInAgain: 'Log in to go on',
  ended: 'Your login has ended. What you wrote is still here.',
  user: 'Name',
  password: 'Password',
  loggingIn: 'Logging in…',
  logOut: 'Log out',
  wrong: 'That is not the right name and password.',
  tooOften: (seconds: number) => `Too many tries. Wait ${seconds ? plural(seconds, 'second', 'seconds') : 'a little'} and try again.`,
  stillIn: 'You are still logged in.',

  // Faults
  unreachable: 'docent does not answer. Is it still running?',
  cancelled: 'It was cancelled.',
  broken: 'Something went wrong in the page itself. Reload it and try again.',
  gone: 'That does not exist any more.',
  tooLarge: 'That is larger than docent accepts.',
  unloaded: 'The page could not load this. docent may have been updated, or the connection is lost.',
  reload: 'Reload the page',
  status: (code: number) => `docent answered with status ${code}.`,
};
