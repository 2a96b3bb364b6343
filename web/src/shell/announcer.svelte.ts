// Announcements for screen readers. Chat.svelte shows the text in a live region.
class Announcer {
  text = $state('');

  say(text: string): void {
    this.text = text;
  }
}

export const announcer = new Announcer();
