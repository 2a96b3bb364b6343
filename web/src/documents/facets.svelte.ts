// The values of filters: the folders, tags, types, and languages of the listed collection.
import * as http from '../api/http';
import type { PlaceCount } from '../api/shapes';

/** The maximum number of folders and of tags. */
const most = 1000;

class Facets {
  folders = $state.raw<readonly PlaceCount[]>([]);
  tags = $state.raw<readonly PlaceCount[]>([]);
  types = $state.raw<readonly PlaceCount[]>([]);
  languages = $state.raw<readonly PlaceCount[]>([]);
  private asked: AbortController | undefined;

  /** load reads the values for a collection; '' means all. Without them, users can still list documents. */
  async load(collection: string): Promise<void> {
    this.asked?.abort();
    const { signal } = (this.asked = new AbortController());
    try {
      const [places, facets] = await Promise.all([http.listPlaces('', most, signal, collection), http.listFacets(collection, signal)]);
      [this.folders, this.tags, this.types, this.languages] = [places.folders, places.tags, facets.types, facets.languages];
    } catch {
      if (!signal.aborted) this.folders = this.tags = this.types = this.languages = [];
    }
  }

  /** below returns the folders directly in a folder; '' is above all. */
  below(folder: string): PlaceCount[] {
    const start = folder && `${folder}/`;
    return this.folders.filter((f) => f.name.startsWith(start) && !f.name.slice(start.length).includes('/') && f.name !== folder).sort((a, b) => a.name.localeCompare(b.name));
  }
}

export const facets = new Facets();
