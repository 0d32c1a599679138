// Colours: the palette of the board, read from the custom properties of the style sheet, and the choice of the dark or the light theme.

const KEY = "omnogram-theme";
const darkScheme = window.matchMedia("(prefers-color-scheme: dark)");

/** The custom properties `--board-...` that the board paints with. */
const NAMES = [
    "background", "paper", "ink", "line", "line-strong", "band", "clue", "clue-soft", "highlight", "cross", "empty",
    "known", "ambiguous", "undecided", "region", "region-paper", "add", "remove", "sign", "given", "only-here", "only-other",
    "step", "step-paper", "chain-paper", "wrong", "cursor", "protect", "heat-low", "heat-middle", "heat-high", "heat-text",
    "heat-text-high",
];

/** The colours by name, in camel case: `lineStrong` is `--board-line-strong`. */
export function readPalette() {
    const style = getComputedStyle(document.documentElement);
    const camel = (name) => name.replace(/-(\w)/g, (_, letter) => letter.toUpperCase());
    // A canvas does not know the function light-dark.
    const chosen = isDark() ? "$2" : "$1";
    const colour = (name) => style.getPropertyValue(`--board-${name}`).trim().replace(/^light-dark\((.*), (.*)\)$/, chosen);
    return Object.fromEntries(NAMES.map((name) => [camel(name), colour(name)]));
}

/** Calls a function when the colours of the page change. */
export function watchTheme(changed) {
    darkScheme.addEventListener("change", changed);
    new MutationObserver(changed).observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
}

function isDark() {
    const chosen = document.documentElement.dataset.theme;
    return chosen ? chosen === "dark" : darkScheme.matches;
}

/** Connects the button that changes between the themes. The choice is kept; without a choice the system decides. */
export function connectTheme(button) {
    const show = () => button.setAttribute("aria-pressed", String(isDark()));
    try {
        const kept = localStorage.getItem(KEY);
        if (kept === "dark" || kept === "light") {
            document.documentElement.dataset.theme = kept;
        }
    } catch {
        // Without storage the system decides.
    }
    button.addEventListener("click", () => {
        const chosen = isDark() ? "light" : "dark";
        document.documentElement.dataset.theme = chosen;
        try {
            localStorage.setItem(KEY, chosen);
        } catch {
            // Without storage the choice lasts as long as the page.
        }
    });
    watchTheme(show);
    show();
}
