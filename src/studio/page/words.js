// Numbers, cells and verdicts as words of the page.

/** Numbers with more digits than this are shown in short form only. */
const FULL_DIGITS = 24;

/** Numbers with at least this many digits get their short form in brackets. */
const SHORT_DIGITS = 10;

/** The digits of a decimal number in groups of three: `1,234,567`. */
export function groupDigits(digits) {
    return digits.replace(/\B(?=(\d{3})+$)/g, ",");
}

/** A decimal number of many digits as `5.2 × 10^15`, rounded down. */
export function shortNumber(digits) {
    const mantissa = digits[1] === "0" || digits.length < 2 ? digits[0] : `${digits[0]}.${digits[1]}`;
    return `${mantissa} × 10^${digits.length - 1}`;
}

/**
 * A number of solutions as text.
 * @param {string} digits a decimal number of any length
 * @param {boolean} exact whether it is the exact number rather than a lower bound
 */
export function solutionsText(digits, exact) {
    const bound = exact ? "" : "at least ";
    if (digits.length < SHORT_DIGITS) {
        return bound + groupDigits(digits);
    }
    if (digits.length <= FULL_DIGITS) {
        return `${bound}${groupDigits(digits)} (${shortNumber(digits)})`;
    }
    return `${exact ? "about " : bound}${shortNumber(digits)} (${digits.length} digits)`;
}

/** `1 cell`, `2 cells`. */
export function plural(number, word) {
    return `${groupDigits(String(number))} ${word}${number === 1 ? "" : "s"}`;
}

/** The first letter as a capital, and a full stop at the end. */
export function sentence(words) {
    const text = words.trim();
    if (text === "") {
        return "";
    }
    return text[0].toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");
}

/**
 * Cells as words: `row 3 column 5, row 4 columns 1 and 2`, with a row named once.
 * @param {number[][]} cells pairs of row and column from 1
 * @param {number} most how many cells are named before the text says how many more there are
 */
export function cellsText(cells, most = 12) {
    const rows = new Map();
    for (const [row, column] of cells.slice(0, most)) {
        rows.set(row, [...(rows.get(row) ?? []), column]);
    }
    const parts = [...rows].map(([row, columns]) =>
        columns.length === 1 ? `row ${row} column ${columns[0]}` : `row ${row} columns ${listText(columns)}`);
    const more = cells.length - most;
    return parts.join(", ") + (more > 0 ? ` and ${more} more` : "");
}

/** `1`, `1 and 2`, `1, 2 and 3`. */
export function listText(items) {
    return items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;
}

/** The words of an error without the name of the file at their beginning. */
export function withoutName(words, name) {
    return words.startsWith(`${name}:`) ? words.slice(name.length + 1).trim() : words;
}

/** A verdict as a short sentence without full stop. */
export function verdictText(verdict) {
    switch (verdict) {
        case "none": return "No solution";
        case "unique": return "One solution";
        case "multiple": return "Several solutions";
        case "undecided": return "Undecided";
        default: return "Checking";
    }
}

/** What a run does, for the words of the server that are terms of the engine. */
const ACTIVITIES = { backbone: "looking for ambiguous cells", branching: "counting", sweeping: "counting", repairing: "trying edits" };

/** What a progress event says about the run: `counting, 40 % done, 12 s`. */
export function progressText({ activity, share, seconds }) {
    const parts = [ACTIVITIES[activity?.split(" ")[0]] ?? (activity || "running")];
    if (share >= 0.01) {
        parts.push(`${Math.floor(share * 100)} % done`);
    }
    parts.push(seconds < 10 ? `${seconds.toFixed(1)} s` : `${Math.round(seconds)} s`);
    return parts.join(", ");
}
