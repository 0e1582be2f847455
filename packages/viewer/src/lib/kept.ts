/** A small choice of the reader that the browser stores. Nothing fails if storage is forbidden. */

export interface Kept {
  value: string | undefined;
}

export function kept(key: string, storage: () => Storage = () => localStorage): Kept {
  return {
    get value() {
      try {
        return storage().getItem(key) ?? undefined;
      } catch {
        return undefined;
      }
    },
    set value(text) {
      try {
        if (text === undefined) storage().removeItem(key);
        else storage().setItem(key, text);
      } catch {
        // A page from disk or in a sandbox may have no storage. The choice then lasts as long as the page.
      }
    },
  };
}
