// Downloads: hands the bytes of an answer to the browser as a file, and text to its clipboard.

/** Time in ms after which the address of a download is taken back. */
const KEPT = 60000;

/**
 * @param {Blob} blob
 * @param {string} name of the file
 */
export function download(blob, name) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), KEPT);
}

/** Copies a text. Returns whether the browser allows it. */
export async function copyText(text) {
    try {
        await navigator.clipboard.writeText(text);
        return true;
    } catch {
        return false;
    }
}

/** A title as the name of a file without its ending. */
export function fileStem(title) {
    const stem = title.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-+|-+$/g, "");
    return stem.slice(0, 80) || "puzzle";
}

/** A header of percent-encoded text. */
export function headerText(headers, name) {
    const text = headers.get(name) ?? "";
    try {
        return decodeURIComponent(text);
    } catch {
        return text;
    }
}
