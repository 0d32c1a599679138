// The live regions of the page: texts for screen readers, which can be seen too.

/** How long an alert or a notice stays on the screen, in milliseconds. */
const ALERT_TIME = 10000;

let alertTimer = null;

/** Writes a text to a live region. A text that stands there already is told again. */
function write(element, text) {
    const again = text !== "" && element.textContent === text;
    element.textContent = again ? `${text}\u00a0` : text;
}

/** Tells a text when the screen reader is free. */
export function announce(text) {
    write(document.querySelector("#status"), text);
}

/** Tells a text at once: something failed. */
export function alertUser(text) {
    show(text, "alert");
}

/** Tells a text that must not be overlooked, although nothing failed. */
export function notify(text) {
    show(text, "notice");
}

function show(text, kind) {
    const element = document.querySelector("#alert");
    element.dataset.kind = kind;
    write(element, text);
    clearTimeout(alertTimer);
    alertTimer = setTimeout(() => write(element, ""), ALERT_TIME);
}
