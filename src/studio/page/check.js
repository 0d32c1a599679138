// The check of the drawing: after every change it asks the server whether the clues have one solution and shows the answer.

import { Latest, NO_ROOM, stream } from "./api.js";
import { answers, changesPuzzle, showLayer } from "./answers.js";
import { elements } from "./elements.js";
import { ProfileView } from "./profile.js";
import { FASTER } from "./side.js";
import { plural, progressText, sentence, solutionsText, verdictText } from "./words.js";

/** After this time in ms without a verdict the page says that it is checking; before, the old verdict stays, faded. */
const PATIENCE = 150;

/** A finished check is announced after this time in ms without a change. */
const QUIET = 400;

/** A check for which the server had no room is tried again after this time in ms. */
const AGAIN = 2000;

/** After this time in ms without the regions of an ambiguous puzzle its solutions are also counted by themselves. */
const COUNT_AFTER = 2000;

/** After this time in ms the page says, once, what would be faster. */
const LONG = 8000;

/** Stands for a number that is not known yet. */
const UNKNOWN = "–";

/** The limits that stop a check, in words. */
const STOPS = { time: "the time limit", nodes: "the limit on nodes", memory: "the memory limit" };

/** A check is stopped when the page has been hidden for this time in ms. */
const HIDDEN = 60000;

/** Connects the panel `#answers`. */
export function connectCheck(context) {
    const check = new Check(context);
    context.drawing.addEventListener("change", (event) => check.changed(event));
    document.addEventListener("visibilitychange", () => check.visibility());
    check.schedule();
    return check;
}

class Check {
    #latest = new Latest();
    #scheduled = false;
    #changedAt = performance.now();
    #unfinished = false;
    #timer = 0;
    #announcing = 0;
    #announced = "";
    #again = 0;
    #hiding = 0;
    #suspended = false;
    #layers = {};
    #told = false;

    constructor({ drawing, board, announce, notify }) {
        Object.assign(this, { drawing, board, announce, notify }, elements({
            panel: "answers", verdict: "verdict", solutions: "solutions", ambiguous: "ambiguous", progress: "progress",
        }));
        this.profile = new ProfileView({ drawing, board });
        document.body.dataset.checked = "0";
        this.#setVerdict("checking", "Checking");
    }

    changed(event) {
        const { what, unfinished } = event.detail;
        if (changesPuzzle(event)) {
            this.#changedAt = performance.now();
            this.#unfinished = Boolean(unfinished);
            if (what.has("size") || what.has("clues") || what.has("document")) {
                this.#clearLayers();
            }
            this.schedule();
        } else if (what.has("mode")) {
            this.#showLayers();
            this.profile.setPlaying(this.drawing.mode === "play");
        }
    }

    /** Starts a check at the end of the current turn, so that several changes of one turn are checked once. */
    schedule() {
        if (!this.#scheduled) {
            this.#scheduled = true;
            queueMicrotask(() => {
                this.#scheduled = false;
                this.#start();
            });
        }
    }

    visibility() {
        clearTimeout(this.#hiding);
        if (!document.hidden) {
            if (this.#suspended) {
                this.#suspended = false;
                this.schedule();
            }
        } else if (answers.running) {
            this.#hiding = setTimeout(() => this.#suspend(), HIDDEN);
        }
    }

    #suspend() {
        if (answers.running) {
            this.#suspended = true;
            this.#latest.abort();
            this.#showProgress("Stopped while the page is hidden.");
        }
    }

    async #start() {
        const changedAt = this.#changedAt;
        clearTimeout(this.#announcing);
        clearTimeout(this.#again);
        clearTimeout(this.#timer);
        this.#announced = "";
        this.#timer = setTimeout(() => this.#beginWaiting(), PATIENCE);
        this.panel.classList.add("stale");
        this.panel.setAttribute("aria-busy", "true");
        this.profile.hideNarrowest();
        answers.begin();
        try {
            const finished = await this.#latest.run((signal) => this.#run(signal, changedAt));
            if (finished) {
                this.#finish();
            } else if (!this.#latest.running && answers.running) {
                this.#end(false);
            }
        } catch (error) {
            this.#fail(error);
        }
    }

    async #run(signal, changedAt) {
        const run = { contradiction: null, final: null, counting: false };
        const count = new Latest();
        let counting = 0;
        const handlers = {
            lines: (data) => this.#onLines(data, run),
            verdict: (data) => {
                this.#onVerdict(data, run, changedAt);
                if (data.verdict === "multiple") {
                    counting = setTimeout(() => this.#count(count, run), COUNT_AFTER);
                }
            },
            progress: (data) => run.counting || this.#onProgress(data),
            regions: (data) => this.#onRegions(data, run),
            profile: (data) => this.profile.show(data),
        };
        const faster = setTimeout(() => this.#tellFaster(), LONG);
        try {
            await stream("check", this.drawing.subject(), handlers, signal);
        } finally {
            clearTimeout(faster);
            clearTimeout(counting);
            count.abort();
        }
        return true;
    }

    /** Counts the solutions beside the search for the regions, whose progress is not shown meanwhile. */
    async #count(latest, run) {
        run.counting = true;
        const handlers = {
            progress: (data) => this.#onProgress(data),
            number: (data) => this.#onNumber(data),
        };
        try {
            await latest.run((signal) => stream("count", this.drawing.subject(), handlers, signal));
        } catch {
            // Without room for it the check goes on alone.
        }
        run.counting = false;
    }

    #tellFaster() {
        if (FASTER !== null && !this.#told) {
            this.#told = true;
            this.notify(FASTER);
        }
    }

    #onLines({ position, unknown, contradiction }, run) {
        run.contradiction = contradiction;
        this.#setLayer("known", unknown > 0 ? position : null);
        run.position = position;
        if (this.drawing.kind === "clues") {
            this.#setLayer("position", position);
        }
        this.#showLayers();
    }

    #onVerdict(data, run, changedAt) {
        clearTimeout(this.#timer);
        run.final = data;
        answers.learn(data);
        this.panel.classList.remove("stale");
        this.#setVerdict(data.verdict, verdictWords(data, run.contradiction));
        this.#setSolutions(data);
        this.#setAmbiguous(data.verdict === "multiple" || data.verdict === "undecided" ? null : 0);
        if (data.verdict !== "multiple") {
            this.#setLayer("ambiguous", null);
            this.#setLayer("regions", null);
        }
        if (data.verdict === "unique" && this.drawing.kind === "clues") {
            this.#setLayer("position", data.examples[0] ?? run.position);
        }
        this.profile.clear();
        this.#showLayers();
        this.#announceSoon();
        requestAnimationFrame(() => {
            document.body.dataset.verdictTime = (performance.now() - changedAt).toFixed(1);
        });
    }

    /** The lower bound grows; the layers of the old answer are taken away, because the new one is not soon there. */
    #onProgress(data) {
        this.#showProgress(sentence(progressText(data)), data.share);
        if (answers.verdict === "multiple") {
            this.#setLayer("ambiguous", null);
            this.#setLayer("regions", null);
            this.#showLayers();
        }
        this.#raise(data.solutions, false);
    }

    /** The number, which may be there before the regions are. */
    #onNumber({ solutions, exact }) {
        this.#raise(solutions, exact);
    }

    /** A number of solutions that is better than the one shown replaces it. */
    #raise(solutions, exact) {
        if (!answers.exact && (exact || BigInt(solutions) > BigInt(answers.solutions))) {
            answers.learn({ verdict: answers.verdict, solutions, exact });
            this.#setSolutions({ solutions, exact });
        }
    }

    #onRegions(found, run) {
        const isKnown = !found.exact && (answers.exact || BigInt(answers.solutions) > BigInt(found.solutions));
        const data = isKnown ? { ...found, solutions: answers.solutions, exact: answers.exact } : found;
        run.final = data;
        answers.learn(data);
        this.#setVerdict(data.verdict, verdictWords(data, run.contradiction));
        this.#setSolutions(data);
        this.#setAmbiguous(data.ambiguous, data.undecided);
        this.#setLayer("ambiguous", data.backbone);
        this.#setLayer("regions", data.regions);
        if (this.drawing.kind === "clues") {
            this.#setLayer("position", data.backbone.map((row) => row.replaceAll("-", "?")));
        }
        this.#showLayers();
        this.#showClosest(data);
    }

    #showClosest({ closest, is_least: least }) {
        if (closest) {
            const bound = least ? "The two closest solutions differ" : "Two solutions differ";
            this.profile.note(`${bound} in ${plural(closest, "cell")}.`);
        }
    }

    #finish() {
        this.#end(true);
        this.#showProgress("");
        document.body.dataset.checked = String(Number(document.body.dataset.checked) + 1);
        this.#announceSoon();
    }

    /** Announces the verdict, although the check may go on for long, and the answer at its end if there is more to tell by then. */
    #announceSoon() {
        clearTimeout(this.#announcing);
        if (this.#unfinished) {
            return;
        }
        this.#announcing = setTimeout(() => {
            const words = this.#summary();
            if (words !== this.#announced) {
                this.#announced = words;
                this.announce(words);
            }
        }, QUIET);
    }

    #fail(error) {
        clearTimeout(this.#announcing);
        this.#end(false);
        this.#clearLayers();
        this.profile.clear();
        this.panel.classList.remove("stale");
        this.#setVerdict("undecided", "No answer");
        this.#setSolutions({ solutions: "0", exact: false });
        this.#setAmbiguous(null);
        this.#showProgress(sentence(error.message));
        this.announce(sentence(`The check failed: ${error.message}`));
        if (error.status === NO_ROOM) {
            this.#again = setTimeout(() => this.schedule(), AGAIN);
        }
    }

    #end(finished) {
        clearTimeout(this.#timer);
        this.panel.setAttribute("aria-busy", "false");
        answers.end(finished);
    }

    #beginWaiting() {
        this.#setVerdict("checking", "Checking");
    }

    #summary() {
        const parts = [this.verdict.textContent];
        if (answers.verdict === "multiple") {
            parts.push(`${this.solutions.textContent} solutions`);
            if (Number(this.ambiguous.dataset.cells) > 0) {
                parts.push(plural(Number(this.ambiguous.dataset.cells), "ambiguous cell"));
            }
        }
        return sentence(parts.join(", "));
    }

    #setVerdict(name, words) {
        this.verdict.dataset.verdict = name;
        this.verdict.textContent = words;
    }

    #setSolutions({ solutions, exact }) {
        const unknown = solutions === "0" && !exact;
        this.solutions.textContent = unknown ? UNKNOWN : solutionsText(solutions, exact);
        this.solutions.title = solutions.length > 24 ? solutions : "";
    }

    /** The number of ambiguous cells; null if it is not known. */
    #setAmbiguous(cells, undecided = 0) {
        const bound = undecided > 0 ? ` (${undecided} undecided)` : "";
        this.ambiguous.textContent = cells === null ? UNKNOWN : `${cells}${bound}`;
        this.ambiguous.dataset.cells = String(cells ?? "");
    }

    #showProgress(words, share = null) {
        this.progress.textContent = words;
        this.progress.hidden = words === "";
        this.progress.dataset.share = share === null ? "" : String(share);
    }

    #setLayer(name, data) {
        this.#layers[name] = data;
    }

    #clearLayers() {
        this.#layers = {};
        this.#showLayers();
    }

    /** Shows the layers of the answer. They would give the solution away while it is being played. */
    #showLayers() {
        for (const name of ["known", "ambiguous", "regions", "position"]) {
            const data = this.drawing.mode === "play" ? null : this.#layers[name];
            showLayer(this.board, name, "check", data ?? null);
        }
    }
}

function verdictWords({ verdict, stopped }, contradiction) {
    if (verdict === "none" && contradiction) {
        return `No solution: ${contradiction} cannot be filled in`;
    }
    if (verdict === "undecided" && STOPS[stopped]) {
        return `Undecided: stopped by ${STOPS[stopped]}`;
    }
    return verdictText(verdict);
}
