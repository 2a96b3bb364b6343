// The frame of the page: sidebar, notices, login.
import { plural } from '../plural';

export const shell = {
  // Places
  conversation: 'Conversation',
  newChat: 'New chat',
  documents: 'Documents',
  sources: 'Sources',
  settings: 'Settings',
  console: 'Console',
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
  noneFound: 'No conversations match.',
  none: 'None yet',
  groups: { pinned: 'Pinned', today: 'Today', yesterday: 'Yesterday', week: 'Previous 7 days', older: 'Older' },
  more: 'Show more',
  unread: 'New answer',
  options: (name: string) => `Options for “${name}”`,
  rename: 'Rename',
  name: 'Name of the conversation',
  pin: 'Pin',
  unpin: 'Unpin',
  share: 'Share…',
  links: 'Shared links',
  exportDOCX: 'Download as Word',
  exportPDF: 'Download as PDF',
  exportMarkdown: 'Export as Markdown',
  exportJSON: 'Export as JSON',
  remove: 'Delete',
  removed: (name: string) => `Deleted “${name}”`,
  notListed: 'The conversations did not load.',
  notSearched: 'Search failed.',
  notRenamed: 'Renaming failed.',
  notPinned: 'Pinning failed.',
  notUnpinned: 'Unpinning failed.',
  notRemoved: 'The conversation was not deleted.',

  // Conversations of other users, for administrators
  others: 'Conversations of others',
  othersNote: 'You can read these conversations, but not write in them. Each reading is logged.',
  find: 'Search',
  searchOthers: 'Search conversations of others',
  othersNotListed: 'The conversations did not load.',
  noOthers: 'There are no conversations of others.',
  noOwner: 'Without an owner',
  lastUse: (day: string) => `last used ${day}`,
  reading: (name: string) => `You are reading a conversation of ${name}. Your reading is logged.`,
  readingNobody: 'You are reading a conversation without an owner. Your reading is logged.',
  allOthers: 'All conversations of others',

  // What answers
  model: 'Answers come from',
  quotes: 'Quotes from the documents',
  noModel: 'No language model is set up',
  notConnected: 'not connected',

  // Notices
  undo: 'Undo',
  dismiss: 'Dismiss',
  cancel: 'Cancel',
  tryAgain: 'Try again',

  // Login
  logIn: 'Sign in',
  logInAgain: 'Sign in to continue',
  ended: 'Your session has expired. Your text is still here.',
  user: 'Name',
  password: 'Password',
  loggingIn: 'Signing in…',
  logOut: 'Sign out',
  wrong: 'The name or password is wrong.',
  tooOften: (seconds: number) => `Too many attempts. Wait ${seconds ? plural(seconds, 'second', 'seconds') : 'a moment'} and try again.`,
  stillIn: 'Signing out failed. You are still signed in.',

  // One-time links
  start: 'First start',
  join: {
    title: 'Choose a password',
    lead: (name: string) => `Your name in docent is ${name}. The link works once.`,
    password: 'New password, at least 8 characters',
    again: 'The same password again',
    differ: 'The passwords differ.',
    set: 'Save and sign in',
    start: 'Go to docent',
  },

  // Faults
  unreachable: 'docent does not respond. Check that it is running.',
  cancelled: 'Canceled.',
  broken: 'An error occurred in the page. Reload it and try again.',
  gone: 'This item no longer exists.',
  tooLarge: 'The request is too large.',
  unloaded: 'This part of the page could not be loaded. Check the connection and reload the page.',
  reload: 'Reload the page',
  status: (code: number) => `docent responded with status ${code}.`,
};
