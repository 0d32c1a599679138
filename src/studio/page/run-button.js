// A button that starts a run on the server and stops it while it lasts.

import { Latest } from "./api.js";
import { progressText, sentence } from "./words.js";

/** A button with the label "Stop" while its run lasts; its words go to an element of the panel. */
export class RunButton {
    #latest = new Latest();

    /**
     * @param {HTMLButtonElement} button
     * @param {function(string): void} say shows words about the run
     * @param {function(AbortSignal): Promise<void>} work the run
     */
    constructor(button, say, work) {
        this.button = button;
        this.say = say;
        this.work = work;
        this.label = button.textContent;
        button.addEventListener("click", () => (this.running ? this.stop("Stopped.") : this.start()));
    }

    get running() {
        return this.#latest.running;
    }

    stop(words = "") {
        if (this.running) {
            this.#latest.abort();
            this.#relabel();
            this.say(words);
        }
    }

    async start() {
        this.say("");
        const run = this.#latest.run(this.work);
        this.#relabel();
        try {
            await run;
        } catch (error) {
            this.say(sentence(error.message));
        }
        this.#relabel();
    }

    /** A handler for the event `progress`. */
    progress = (data) => this.say(sentence(progressText(data)));

    #relabel() {
        this.button.textContent = this.running ? "Stop" : this.label;
        this.button.classList.toggle("running", this.running);
    }
}
