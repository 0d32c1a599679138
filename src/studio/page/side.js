// Who answers the page: the local server that `omnogram studio` runs. The static page has another file of this name, with the same exports.

/** The address of the API relative to the page, whose own address contains the token. */
const BASE = "api/";

/** What is wrong when nobody answers. */
export const GONE = "the program omnogram studio does not answer; start it again and open the address that it prints";

/** What is wrong when there is no room for another run. */
export const BUSY = "the program is busy with other runs; stop one, here or in another tab, and try again";

/** What another program would do better where a run takes long; null if there is none. */
export const FASTER = null;

/**
 * Asks a question.
 * @param {string} path its name, and options after a question mark
 * @param {RequestInit} options
 * @returns {Promise<Response>} rejected if nobody answers
 */
export function ask(path, options) {
    return fetch(BASE + path, { cache: "no-store", ...options });
}
