const KEY = 'assay.token';

/** Where the token lives while this tab is open: never in local storage, a cookie or an address. */
export interface TokenStore {
  read(): string | null;
  keep(token: string): void;
  forget(): void;
}

/** In session storage; in memory alone where the browser refuses that. */
export function tokenStore(storage: () => Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>): TokenStore {
  let inMemory: string | null = null;
  const attempt = <T>(use: (storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>) => T): T | null => {
    try {
      return use(storage());
    } catch {
      return null; // blocked by a setting: the token lasts until the page is left
    }
  };
  return {
    read: () => inMemory ?? attempt((kept) => kept.getItem(KEY)),
    keep(token) {
      inMemory = token;
      attempt((kept) => kept.setItem(KEY, token));
    },
    forget() {
      inMemory = null;
      attempt((kept) => kept.removeItem(KEY));
    },
  };
}

/** A token as a person pastes it: without blanks around it, or the word before it. */
export function pastedToken(text: string): string {
  return text.trim().replace(/^Bearer\s+/i, '');
}
