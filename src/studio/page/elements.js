// The elements of the page that a panel uses.

/** The elements with these ids, under the names of the ids. */
export function elements(ids) {
    const found = Object.entries(ids).map(([name, id]) => [name, document.getElementById(id)]);
    return Object.fromEntries(found);
}
