/** The clues of a puzzle: the lengths of the filled runs of every row, from the top, and of every column, from the left. */
export interface Puzzle {
    rows: number[][];
    columns: number[][];
    title?: string;
    /** Cells that are known from the start: rows of `#`, `.` and `?`. */
    given?: string[];
}

/** A picture: rows of `#` (filled) and `.` (empty). As a subject it stands for the puzzle with its clues. */
export type Picture = string[];

/** A position: rows of `#`, `.` and `?` (unknown). */
export type Position = string[];

export type Verdict = "none" | "unique" | "multiple" | "undecided";

/** Why an answer is incomplete; null if it is complete. */
export type Stopped = "limit" | "time" | "nodes" | "memory" | "interrupt" | null;

export interface Progress {
    /** A lower bound on the number of solutions, in decimal digits. */
    solutions: string;
    /** The share of the work that is done, from 0 to 1; null where it cannot be known. */
    share: number | null;
    activity: string;
    seconds: number;
}

export interface Options {
    /** Cancels the question: the promise is rejected with the reason of the signal. */
    signal?: AbortSignal;
    /** The limit on time, in seconds. */
    seconds?: number;
    /** Called ten times a second while the question is answered. */
    onProgress?: (progress: Progress) => void;
}

export interface Outcome {
    verdict: Verdict;
    /** The number of solutions in decimal digits; a lower bound unless `exact`. */
    solutions: string;
    exact: boolean;
    stopped: Stopped;
    nodes: number;
    seconds: number;
}

export interface Solved extends Outcome {
    solution: Picture | null;
}

export interface Region {
    cells: unknown;
    fillings: string;
    /** Its cells as row * width + column, from 0. */
    members: number[];
}

export interface Checked extends Outcome {
    /** Whether the picture is a solution; null without a picture. */
    goal: boolean | null;
    /** Up to two solutions. */
    examples: Picture[];
    /** With several solutions: rows of `#`, `.`, `?` (ambiguous) and `-` (undecided). */
    backbone?: string[];
    ambiguous?: number;
    undecided?: number;
    regions?: Region[];
    /** In how many cells the two examples differ. */
    closest?: number | null;
    /** With one solution: how it is found. */
    profile?: { words: string; [key: string]: unknown };
}

export interface Repaired {
    /** The cells to flip, each as row and column from 1; null if no edit was found. */
    flips: [number, number][] | null;
    /** Whether no smaller edit exists. */
    minimal: boolean;
    words: string;
    [key: string]: unknown;
}

export interface Explained {
    ending: string;
    steps: { words?: string; [key: string]: unknown }[];
    unknown: number;
    position: Position;
    stopped: Stopped;
    words: string;
}

/** The answer could not be given: bad data, memory that ran out, or a defect. */
export class OmnogramError extends Error {}

/** One solution, if there is one. */
export function solve(puzzle: Puzzle | Picture, options?: Options): Promise<Solved>;

/** Whether there is none, one or several solutions; where it is ambiguous, with its regions, or how it is solved. */
export function check(puzzle: Puzzle | Picture, options?: Options): Promise<Checked>;

/** The exact number of solutions, without listing them. */
export function count(puzzle: Puzzle | Picture, options?: Options): Promise<Outcome>;

/** All solutions, each once, as they are found. The search goes on only as far as they are read. `seconds` limits each part. */
export function solutions(
    puzzle: Puzzle | Picture,
    options?: Options & {
        /** Number of solutions that are found at a time. */
        batch?: number;
    },
): AsyncGenerator<Picture, void, void>;

/** The smallest edit of a picture that makes its puzzle unique. */
export function repair(
    picture: Picture,
    options?: Options & {
        /** Rows with `#` for the cells that must not be flipped. */
        keep?: Picture;
        only?: "add" | "remove";
        lineSolvable?: boolean;
        /** Number of proposals beside the first. */
        alternatives?: number;
        /** Maximum number of flips. */
        budget?: number;
    },
): Promise<Repaired>;

/** How a person goes on from a position, or from an empty grid. */
export function explain(
    puzzle: Puzzle | Picture,
    options?: Options & {
        position?: Position;
        /** Whether one step is enough. */
        hint?: boolean;
    },
): Promise<Explained>;

/** Ends all workers. The next question starts new ones. */
export function close(): Promise<void>;
