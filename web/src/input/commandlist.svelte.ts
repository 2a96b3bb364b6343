// The commands that match the text, and the selected one.
import { matching, type Command } from './commands';

interface Options {
  text: () => string;
  /** All commands that the agent supports. */
  known: () => readonly Command[];
  /** The list is disabled, for example during an edit. */
  disabled: () => boolean;
  /** Is called with the selected command. With complete, Tab completed its name. */
  onchoose: (command: Command, complete: boolean) => void;
}

export class CommandList {
  /** The index of the selected command. */
  selected = $state(0);
  private closedFor = $state(''); // the text for which the user closed the list
  readonly commands = $derived.by(() => {
    const text = this.options.text();
    return this.options.disabled() || text === this.closedFor ? [] : matching(text, this.options.known());
  });

  constructor(private readonly options: Options) {}

  /** typed resets the list after the text has changed. */
  typed(): void {
    this.selected = 0;
    if (this.options.text() !== this.closedFor) this.closedFor = '';
  }

  /** keydown handles a key of the open list, and reports whether it did. */
  keydown(event: KeyboardEvent): boolean {
    const { commands } = this;
    if (commands.length === 0) return false;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) this.selected = (this.selected + step + commands.length) % commands.length;
    else if (event.key === 'Tab' && !event.shiftKey) this.options.onchoose(commands[this.selected]!, true);
    else if (event.key === 'Enter' && !event.shiftKey) this.options.onchoose(commands[this.selected]!, false);
    else if (event.key === 'Escape') this.closedFor = this.options.text();
    else return false;
    return true;
  }
}
