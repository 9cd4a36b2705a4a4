// Bytes as words of letters that an address may hold (base64, of either alphabet), and back.

export function wordOf(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 4096) text += String.fromCharCode(...bytes.subarray(at, at + 4096));
  return btoa(text).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

export function bytesOfWord(word: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(word.replace(/-/g, "+").replace(/_/g, "/")), (letter) => letter.charCodeAt(0));
}
