// The database of the browser that keeps a night. A write is on the disk when it is done: the browser's process may be killed then.

const [NAME, STORE, KEY] = ["tower-sim", "kept", "night"];
const PATIENCE = 1000; // milliseconds for the database to answer

/** A text, and a number that grows with each write. */
export interface Kept { at: number; text: string }

let database: Promise<IDBDatabase> | null = null;
let closed = () => {};

/** Call `then` whenever the browser closes the database, as it does when it is emptied. */
export function whenClosed(then: () => void): void {
  closed = then;
}

function open(): Promise<IDBDatabase> {
  database ??= new Promise((resolve, reject) => {
    const asked = indexedDB.open(NAME);
    asked.onupgradeneeded = () => asked.result.createObjectStore(STORE);
    asked.onerror = asked.onblocked = () => reject(asked.error);
    asked.onsuccess = () => {
      const found = asked.result;
      found.onclose = found.onversionchange = () => {
        found.close();
        database = null;
        closed();
      };
      resolve(found);
    };
  });
  return database;
}

async function transact(mode: IDBTransactionMode, next: Kept | null): Promise<Kept | null> {
  const transaction = (await open()).transaction(STORE, mode, { durability: "strict" });
  const store = transaction.objectStore(STORE);
  const found: IDBRequest<Kept | undefined> = store.get(KEY);
  found.onsuccess = () => next && next.at >= (found.result?.at ?? 0) && store.put(next, KEY);
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve(found.result ?? null);
    transaction.onabort = () => reject(transaction.error);
  });
}

/** Write `next` unless something later is there. Resolves once it is on the disk, to what was there; to undefined where this browser keeps nothing. */
export function exchange(next: Kept | null): Promise<Kept | null | undefined> {
  const once = () => transact(next ? "readwrite" : "readonly", next);
  const again = () => {
    database = null; // closed, and not told yet
    return once();
  };
  return once().catch(again).catch(() => undefined);
}

/** The promise, or undefined where it takes too long. */
export function soon<T>(promise: Promise<T>): Promise<T | undefined> {
  return Promise.race([promise, new Promise<undefined>((resolve) => setTimeout(resolve, PATIENCE))]);
}
