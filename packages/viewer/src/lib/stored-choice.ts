/**
 * A small choice of the reader that the browser stores, such as the language. Nothing fails if the browser has no
 * storage.
 */

export interface StoredChoice {
  value: string | undefined;
}

export function createStoredChoice(key: string, storage: () => Storage = () => localStorage): StoredChoice {
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
        // A page from disk or in a sandbox may have no storage. Then the choice lasts as long as the page.
      }
    },
  };
}
