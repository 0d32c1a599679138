// Undo entries: what changed between two states of the document, and the two stacks of entries.
// An entry of a change to a few cells stores those cells alone; other fields are stored as they were before and after.

/**
 * @typedef {{field: string, indexes: Uint32Array, before: Uint8Array, after: Uint8Array}} Patch
 * @typedef {{field: string, before: any, after: any}} Value
 * @typedef {{name: string, patches: Patch[], values: Value[], what: Set<string>, modes: {before: string, after: string}}} Entry
 */

/** The cells in which two arrays of the same length differ, or null if there are none.
 * @returns {Patch | null} */
function patchOf(field, before, after) {
    let number = 0;
    for (let index = 0; index < before.length; index++) {
        number += before[index] === after[index] ? 0 : 1;
    }
    if (number === 0) {
        return null;
    }
    const patch = { field, indexes: new Uint32Array(number), before: new Uint8Array(number), after: new Uint8Array(number) };
    for (let index = 0, next = 0; next < number; index++) {
        if (before[index] !== after[index]) {
            patch.indexes[next] = index;
            patch.before[next] = before[index];
            patch.after[next] = after[index];
            next++;
        }
    }
    return patch;
}

function equal(one, other) {
    if (one === other) {
        return true;
    }
    return Array.isArray(one) && Array.isArray(other) && JSON.stringify(one) === JSON.stringify(other);
}

/** The entry for a change from one state to another, or null if nothing changed.
 * @param {string} name
 * @param {object} before
 * @param {object} after
 * @param {Record<string, string>} words the word of `what` for each field
 * @param {string[]} extra further words of `what`
 * @returns {Entry | null} */
export function difference(name, before, after, words, extra = []) {
    const entry = { name, patches: [], values: [], what: new Set(), modes: { before: before.mode, after: after.mode } };
    for (const field of Object.keys(words)) {
        const [old, now] = [before[field], after[field]];
        if (old instanceof Uint8Array && old.length === now.length) {
            const patch = patchOf(field, old, now);
            if (patch) {
                entry.patches.push(patch);
                entry.what.add(words[field]);
            }
        } else if (!equal(old, now)) {
            entry.values.push({ field, before: old, after: now });
            entry.what.add(words[field]);
        }
    }
    if (entry.patches.length + entry.values.length === 0) {
        return null;
    }
    extra.forEach((word) => entry.what.add(word));
    return entry;
}

/** The state before (`side` "before") or after (`side` "after") an entry, made from the state at its other side. */
export function applied(state, entry, side) {
    const result = { ...state };
    for (const value of entry.values) {
        result[value.field] = value[side];
    }
    for (const patch of entry.patches) {
        const array = state[patch.field].slice();
        patch.indexes.forEach((index, at) => {
            array[index] = patch[side][at];
        });
        result[patch.field] = array;
    }
    return result;
}

/** Whether an entry changes marks alone, which can be seen only while playing. */
function isMarking({ what }) {
    return what.size === 1 && what.has("marks");
}

/** The entries that can be undone and those that can be redone. To begin and to end playing is no entry, so that undo does not do it.
 * While playing, only what was done while playing is undone and redone; while drawing, entries of marks go with their neighbours. */
export class History {
    #done = [];
    #undone = [];
    #merging = null;

    /** Adds an entry. Entries with the same `merge` key that follow each other become one, if they change values only. */
    push(entry, merge = null) {
        const last = this.#done.at(-1);
        this.#undone = [];
        if (merge !== null && merge === this.#merging && last.patches.length + entry.patches.length === 0) {
            for (const value of entry.values) {
                const known = last.values.find((other) => other.field === value.field);
                if (known) {
                    known.after = value.after;
                } else {
                    last.values.push(value);
                }
            }
            return;
        }
        this.#done.push(entry);
        this.#merging = merge;
    }

    /** The entry that undo (`side` "before") or redo (`side` "after") is about in a mode, or null. */
    next(side, mode) {
        const stack = side === "before" ? this.#done : this.#undone;
        if (mode !== "play") {
            return stack.findLast((entry) => !isMarking(entry)) ?? null;
        }
        const last = stack.at(-1);
        return last?.modes[side === "before" ? "after" : "before"] === "play" ? last : null;
    }

    /** Moves entries to the other stack up to the one that `next` tells, and returns them in order; none if there is no such entry. */
    travel(side, mode) {
        const [from, to] = side === "before" ? [this.#done, this.#undone] : [this.#undone, this.#done];
        const wanted = this.next(side, mode);
        const moved = [];
        this.#merging = null;
        while (wanted && moved.at(-1) !== wanted) {
            moved.push(from.pop());
        }
        // The marks that followed a drawing come back with it.
        while (moved.length > 0 && side === "after" && mode !== "play" && from.length > 0 && isMarking(from.at(-1))) {
            moved.push(from.pop());
        }
        to.push(...moved);
        return moved;
    }

    clear() {
        this.#done = [];
        this.#undone = [];
        this.#merging = null;
    }
}
